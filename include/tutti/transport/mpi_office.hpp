// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/core/copy.hpp>
#include <tutti/core/error.hpp>
#include <tutti/core/operation.hpp>
#include <tutti/core/parcel.hpp>
#include <tutti/core/pool.hpp>
#include <tutti/core/progress.hpp>
#include <tutti/transport/mpi_api.hpp>
#include <tutti/transport/mpi_world.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tutti::detail {

/// send and recv of one rank over MPI. Each message begins with an envelope, on one MPI tag, so that a recv finds out
/// what it gets before it comes; matching by tag is done here, as tutti's tags are any int. A short message travels in
/// its envelope, which is a copy: its send doesn't wait for anybody. A longer one has an MPI tag of its own and goes
/// straight from the sender's memory to the receiver's. It is an operation that ends when no parcel is under way, so
/// that whoever waits anywhere moves it on.
class mpi_office final : public operation {
 public:
  /// group: the communicator's number, which no other one ever has.
  mpi_office(MPI_Comm comm, std::uint64_t group, int rank, int size, int first_tag, int tags, mpi_world& world,
             int world_rank)
      : comm_(comm),
        group_(group),
        rank_(rank),
        first_tag_(first_tag),
        tags_(tags - 1),
        world_(world),
        world_rank_(world_rank),
        peers_(std::size_t(size)) {}
  ~mpi_office() {
    int over = 0;
    MPI_Finalized(&over);
    if (over != 0) return;
    for (trip& one : trips_) abandon_trip(one);
  }

  operation_queue& queue() { return queue_; }

  void send(parcel& one) {
    start(one);
    peer& there = peers_[std::size_t(one.peer)];
    const bool within = one.bytes <= short_bytes && !one.until_matched;
    const std::size_t inside = within ? one.bytes : 0;
    auto* letter = static_cast<std::byte*>(pool_.take(sizeof(envelope) + inside));
    const envelope what{
        group_,        one.bytes, one.type, std::uint64_t(one.element_bytes), there.sequence, std::int32_t(one.tag),
        within ? 1 : 0};
    std::memcpy(letter, &what, sizeof what);
    copy_bytes(letter + sizeof what, one.data, inside);
    trip& letter_trip = add_trip(nullptr);
    letter_trip.letter = letter;
    post(MPI_Isend(letter, int(sizeof what + inside), MPI_BYTE, one.peer, first_tag_, comm_, request_of(letter_trip)),
         "MPI_Isend");
    one.begun = true;
    if (within) return finish(one);  // the letter has it all
    trip& data = add_trip(&one);
    const int tag = data_tag(there.sequence++);
    std::size_t sent = 0;
    do {
      const std::size_t part = shorter(one.bytes - sent, most_bytes);
      const auto begin = one.until_matched ? MPI_Issend : MPI_Isend;
      post(begin(one.data + sent, int(part), MPI_BYTE, one.peer, tag, comm_, request_of(data)), "MPI_Isend");
      sent += part;
    } while (sent < one.bytes);
  }
  void receive(parcel& one) {
    start(one);
    parcel** link = &peers_[std::size_t(one.peer)].posted;
    while (*link != nullptr) link = &(*link)->next;
    *link = &one;
  }

  /// Takes back what has not begun; false where some of it has already moved.
  bool withdraw(parcel& one) {
    if (one.begun) return false;
    if (unlink(peers_[std::size_t(one.peer)].posted, one)) --under_way_;
    return true;
  }
  /// Forgets it, whatever of it has moved: only after a failure.
  void drop(parcel& one) {
    bool was_here = unlink(peers_[std::size_t(one.peer)].posted, one);
    for (trip& each : trips_)
      if (each.whose == &one) {
        abandon_trip(each);
        was_here = true;
      }
    if (was_here) --under_way_;
  }

  progress step() override {
    bool moved = false;
    for (std::size_t i = 0; i < peers_.size(); ++i)
      while (peers_[i].posted != nullptr && take(int(i), peers_[i])) moved = true;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < trips_.size(); ++i) {
      if (has_ended(trips_[i])) {
        if (trips_[i].whose != nullptr) finish(*trips_[i].whose);
        if (trips_[i].letter != nullptr) pool_.give_back(trips_[i].letter);
        moved = true;
      } else {
        if (kept != i) trips_[kept] = static_cast<trip&&>(trips_[i]);
        ++kept;
      }
    }
    trips_.resize(kept);
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
  void abandon(errc code, const char* reason) noexcept override { world_.record(code, world_rank_, reason); }

 private:
  static constexpr std::size_t short_bytes = 64 * 1024;
  static constexpr std::size_t most_bytes = std::size_t(1) << 30;

  struct envelope {
    std::uint64_t group, bytes, type, element_bytes, sequence;
    std::int32_t tag;
    std::int32_t within;
  };
  /// A message whose envelope has come before anybody asked for it.
  struct unclaimed {
    envelope head;
    std::vector<std::byte> inside;
  };
  struct peer {
    std::uint64_t sequence = 0;  // of data messages to it
    parcel* posted = nullptr;
    std::vector<unclaimed> put_by;
  };
  struct letter_room {
    pool& whose;
    std::byte* letter;
    ~letter_room() { whose.give_back(letter); }
  };
  /// What MPI is doing for a parcel, or with a letter.
  struct trip {
    parcel* whose = nullptr;
    std::byte* letter = nullptr;
    std::vector<MPI_Request> requests;
    bool comes = false;
  };

  static std::size_t shorter(std::size_t one, std::size_t other) { return one < other ? one : other; }
  int data_tag(std::uint64_t sequence) const { return first_tag_ + 1 + int(sequence % std::uint64_t(tags_)); }

  void start(parcel& one) {
    one.begun = one.done = false;
    one.moved = 0;
    one.next = nullptr;
    if (under_way_++ == 0 && where != stage::waiting_its_turn) queue_.push(*this);
  }
  void finish(parcel& one) {
    one.done = true;
    --under_way_;
  }
  static bool unlink(parcel*& list, parcel& one) {
    for (parcel** link = &list; *link != nullptr; link = &(*link)->next)
      if (*link == &one) {
        *link = one.next;
        return true;
      }
    return false;
  }

  trip& add_trip(parcel* whose) {
    trips_.emplace_back();
    trips_.back().whose = whose;
    return trips_.back();
  }
  static MPI_Request* request_of(trip& one) {
    one.requests.push_back(MPI_REQUEST_NULL);
    return &one.requests.back();
  }
  void post(int code, const char* call) const { expect_mpi(code, rank_, call); }

  bool has_ended(trip& one) const {
    while (!one.requests.empty()) {
      int done = 0;
      post(MPI_Test(&one.requests.back(), &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return false;
      one.requests.pop_back();
    }
    return true;
  }
  /// Receives are taken back, the newest first, as what comes meanwhile meets the oldest one left; what is being sent
  /// MPI keeps, with its memory.
  void abandon_trip(trip& one) noexcept {
    for (; !one.requests.empty(); one.requests.pop_back()) {
      MPI_Request& newest = one.requests.back();
      if (newest == MPI_REQUEST_NULL) continue;
      if (one.comes) MPI_Cancel(&newest);
      if (!ends_within(newest, 1000)) MPI_Request_free(&newest);
    }
    one.whose = nullptr;
  }

  /// Gives what was put by to who asks for it, or reads the next envelope.
  bool take(int from, peer& there) {
    for (parcel* one = there.posted; one != nullptr; one = one->next)
      for (std::size_t i = 0; i < there.put_by.size(); ++i) {
        if (there.put_by[i].head.tag != one->tag) continue;
        const unclaimed found = static_cast<unclaimed&&>(there.put_by[i]);
        there.put_by.erase(there.put_by.begin() + std::ptrdiff_t(i));
        claim(from, there, *one, found.head, found.inside.data());
        return true;
      }
    int come = 0;
    MPI_Message which = MPI_MESSAGE_NULL;
    MPI_Status about;
    post(MPI_Improbe(from, first_tag_, comm_, &come, &which, &about), "MPI_Improbe");
    if (come == 0) return false;
    int bytes = 0;
    MPI_Get_count(&about, MPI_BYTE, &bytes);
    auto* letter = static_cast<std::byte*>(pool_.take(std::size_t(bytes)));
    const letter_room given_back{pool_, letter};
    post(MPI_Mrecv(letter, bytes, MPI_BYTE, &which, MPI_STATUS_IGNORE), "MPI_Mrecv");
    envelope head;
    std::memcpy(&head, letter, sizeof head);
    // Nobody took it while its communicator lived, and MPI has given that one's number to this one.
    if (head.group != group_) return true;
    const std::byte* inside = letter + sizeof head;
    parcel* wanted = there.posted;
    while (wanted != nullptr && wanted->tag != head.tag) wanted = wanted->next;
    if (wanted != nullptr)
      claim(from, there, *wanted, head, inside);
    else
      there.put_by.push_back({head, std::vector<std::byte>(inside, inside + (std::size_t(bytes) - sizeof head))});
    return true;
  }

  void claim(int from, peer& there, parcel& one, const envelope& head, const std::byte* inside) {
    expect_same(from, one, head);
    if (one.room != nullptr) {
      one.data = one.room(one, head.bytes);
      one.bytes = head.bytes;
    }
    unlink(there.posted, one);
    one.begun = true;
    if (head.within != 0) {
      copy_bytes(one.data, inside, one.bytes);
      return finish(one);
    }
    trip& data = add_trip(&one);
    data.comes = true;
    std::size_t received = 0;
    do {
      const std::size_t part = shorter(one.bytes - received, most_bytes);
      post(MPI_Irecv(one.data + received, int(part), MPI_BYTE, from, data_tag(head.sequence), comm_, request_of(data)),
           "MPI_Irecv");
      received += part;
    } while (received < one.bytes);
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

  MPI_Comm comm_;
  std::uint64_t group_;
  int rank_;
  int first_tag_, tags_;
  mpi_world& world_;
  int world_rank_;
  std::vector<peer> peers_;
  std::vector<trip> trips_;
  std::size_t under_way_ = 0;
  pool pool_;
  operation_queue queue_;
};

}  // namespace tutti::detail
