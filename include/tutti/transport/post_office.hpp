// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/copy.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/mailboxes.hpp>
#include <tutti/transport/shared_world.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace tutti::detail {

/// send and recv of one rank. Messages between a pair keep their order for each tag: a recv takes the oldest message of
/// its source that has its tag. Whoever looks past a message of another tag puts it by, in memory of its own.
/// A message is one letter or several, the first with an envelope. It is an operation that ends when no parcel is under
/// way, so that whoever waits anywhere moves it on.
class post_office final : public operation {
 public:
  post_office(mailboxes&& boxes, const shared_world& world, int rank, int world_rank)
      : boxes_(static_cast<mailboxes&&>(boxes)),
        world_(world),
        rank_(rank),
        world_rank_(world_rank),
        peers_(std::size_t(boxes_.size())) {}
  ~post_office() {
    for (peer& one : peers_)
      while (one.put_by != nullptr) drop(one, one.put_by);
  }

  operation_queue& queue() { return queue_; }
  /// Nothing that recv could take has come from this rank.
  bool nothing_from(int rank) const { return peers_[std::size_t(rank)].put_by == nullptr && boxes_.empty_from(rank); }

  void count_from(flag start) { boxes_.count_from(start); }

  void send(parcel& one) { post(one, peers_[std::size_t(one.peer)].outgoing); }
  void receive(parcel& one) { post(one, peers_[std::size_t(one.peer)].posted); }

  /// Takes back what has not begun; false where some of it has already moved.
  bool withdraw(parcel& one) {
    peer& there = peers_[std::size_t(one.peer)];
    if (one.begun) return false;
    if (unlink(there.outgoing, one) || unlink(there.posted, one)) --under_way_;
    return true;
  }

  /// Forgets it, whatever of it has moved. What is still to come of its message goes astray: only after a failure.
  void drop(parcel& one) {
    peer& there = peers_[std::size_t(one.peer)];
    if (there.filling == &one) there.filling = nullptr;
    if (unlink(there.outgoing, one) || unlink(there.posted, one)) --under_way_;
  }

  progress step() override {
    bool moved = false;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      peer& one = peers_[i];
      while (one.outgoing != nullptr && carry(one)) moved = true;
      while ((one.posted != nullptr || one.filling != nullptr) && take(int(i), one)) moved = true;
    }
    if (under_way_ == 0) return progress::done;
    return moved ? progress::moved : progress::waiting;
  }

  void restart() override {}
  bool finish(std::int64_t) override { return ended(); }
  void run_again() override {}
  double patience() const override { return 0; }
  bool take_back() override { return false; }
  void enqueue() override {}
  void dispose() noexcept override {}
  void abandon(errc code, const char* reason) noexcept override { world_.record_failure(code, world_rank_, reason); }

 private:
  struct envelope {
    std::uint64_t bytes, type;
    std::int32_t tag;
    std::uint32_t until_matched;
    std::uint64_t element_bytes;
  };
  /// A message that nobody has asked for yet.
  struct unclaimed {
    envelope head;
    std::byte* data;
    std::size_t moved;
    unclaimed* next;
  };
  struct peer {
    parcel* outgoing = nullptr;  // in the order of their calls
    parcel* posted = nullptr;    // likewise
    unclaimed* put_by = nullptr;
    parcel* filling = nullptr;           // the message under way goes here,
    unclaimed* filling_aside = nullptr;  // or here
  };

  void post(parcel& one, parcel*& list) {
    one.begun = one.done = false;
    one.moved = 0;
    one.next = nullptr;
    parcel** link = &list;
    while (*link != nullptr) link = &(*link)->next;
    *link = &one;
    if (under_way_++ == 0 && where != stage::waiting_its_turn) queue_.push(*this);
  }
  static bool unlink(parcel*& list, parcel& one) {
    for (parcel** link = &list; *link != nullptr; link = &(*link)->next)
      if (*link == &one) {
        *link = one.next;
        return true;
      }
    return false;
  }
  void finish(parcel*& list, parcel& one) {
    unlink(list, one);
    one.done = true;
    --under_way_;
  }

  static std::size_t shorter(std::size_t one, std::size_t other) { return one < other ? one : other; }

  /// The next letter of the oldest send; false where there is no room, or nothing left but to wait for the receiver.
  bool carry(peer& there) {
    parcel& one = *there.outgoing;
    if (one.begun && one.moved == one.bytes) {
      if (!boxes_.has_taken(one.peer, one.last_letter)) return false;
      finish(there.outgoing, one);
      return true;
    }
    const std::size_t head = one.begun ? 0 : sizeof(envelope);
    const std::size_t part = shorter(one.bytes - one.moved, mailboxes::letter_bytes - head);
    int why = 0;
    std::byte* letter = boxes_.open(one.peer, head + part, why);
    if (why != 0)
      fail(errc::resource, rank_, "send on rank %d: no shared memory for a letter to rank %d: %s", rank_, one.peer,
           std::strerror(why));
    if (letter == nullptr) return false;
    if (head != 0) {
      const envelope what{one.bytes, one.type, one.tag, one.until_matched ? 1u : 0u, one.element_bytes};
      std::memcpy(letter, &what, sizeof what);
    }
    copy_bytes(letter + head, one.data + one.moved, part);
    one.begun = true;
    one.moved += part;
    one.last_letter = boxes_.post(one.peer);
    if (one.moved == one.bytes && !one.until_matched) finish(there.outgoing, one);
    return true;
  }

  /// Gives what was put by to who asks for it, or takes the next letter.
  bool take(int from, peer& there) {
    if (there.filling == nullptr && there.filling_aside == nullptr && claim(from, there)) return true;
    const std::byte* letter = boxes_.arrived(from);
    if (letter == nullptr) return false;
    std::size_t head = 0;
    if (there.filling == nullptr && there.filling_aside == nullptr) {
      envelope what;
      std::memcpy(&what, letter, sizeof what);
      head = sizeof what;
      if (parcel* wanted = find(there.posted, what.tag))
        begin(from, *wanted, what, there);
      else if (what.until_matched != 0)
        return false;  // its sender waits until somebody asks for it
      else
        put_aside(there, what);
    }
    fill(from, there, letter + head, head);
    boxes_.release(from);
    return true;
  }

  void begin(int from, parcel& one, const envelope& what, peer& there) {
    expect_same(from, one, what);
    if (one.room != nullptr) {
      one.data = one.room(one, what.bytes);
      one.bytes = what.bytes;
    }
    one.begun = true;
    there.filling = &one;
  }
  void fill(int, peer& there, const std::byte* data, std::size_t head) {
    if (parcel* one = there.filling) {
      const std::size_t part = shorter(one->bytes - one->moved, mailboxes::letter_bytes - head);
      copy_bytes(one->data + one->moved, data, part);
      one->moved += part;
      if (one->moved < one->bytes) return;
      there.filling = nullptr;
      finish(there.posted, *one);
    } else {
      unclaimed* aside = there.filling_aside;
      const std::size_t part = shorter(aside->head.bytes - aside->moved, mailboxes::letter_bytes - head);
      copy_bytes(aside->data + aside->moved, data, part);
      aside->moved += part;
      if (aside->moved == aside->head.bytes) there.filling_aside = nullptr;
    }
  }
  void put_aside(peer& there, const envelope& what) {
    auto* aside = new unclaimed{what, static_cast<std::byte*>(::operator new(what.bytes)), 0, nullptr};
    unclaimed** link = &there.put_by;
    while (*link != nullptr) link = &(*link)->next;
    *link = there.filling_aside = aside;
  }
  bool claim(int from, peer& there) {
    for (parcel* one = there.posted; one != nullptr; one = one->next)
      for (unclaimed* aside = there.put_by; aside != nullptr; aside = aside->next) {
        if (aside->head.tag != one->tag) continue;
        begin(from, *one, aside->head, there);
        there.filling = nullptr;
        copy_bytes(one->data, aside->data, one->bytes);
        drop(there, aside);
        finish(there.posted, *one);
        return true;
      }
    return false;
  }
  static void drop(peer& there, unclaimed* aside) {
    unclaimed** link = &there.put_by;
    while (*link != aside) link = &(*link)->next;
    *link = aside->next;
    ::operator delete(aside->data);
    delete aside;
  }

  static parcel* find(parcel* list, int tag) {
    while (list != nullptr && list->tag != tag) list = list->next;
    return list;
  }

  void expect_same(int from, const parcel& one, const envelope& what) const {
    if (one.type != what.type)
      fail(errc::mismatch, rank_,
           "recv on rank %d: the message of rank %d with tag %d has another element type (%zu bytes each, here %zu)",
           rank_, from, what.tag, std::size_t(what.element_bytes), one.element_bytes);
    if (one.room == nullptr && one.bytes != what.bytes)
      fail(errc::mismatch, rank_,
           "recv on rank %d: data has %zu elements, but the message of rank %d with tag %d has %zu", rank_,
           one.bytes / one.element_bytes, from, what.tag, std::size_t(what.bytes / what.element_bytes));
  }

  mailboxes boxes_;
  shared_world world_;
  int rank_, world_rank_;
  std::vector<peer> peers_;
  std::size_t under_way_ = 0;
  operation_queue queue_;
};

}  // namespace tutti::detail
