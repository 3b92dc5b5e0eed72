// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tutti/transport/protocol.hpp>
#include <tutti/transport/region.hpp>
#include <tutti/transport/shared_group.hpp>

#include <cstddef>
#include <vector>

namespace tutti::detail {

/// One rank's mailboxes to and from all members of its group, itself included: letters in order for each pair. The
/// sender counts up `sent`, the receiver `taken`. A letter's pages are made when it is first written.
class mailboxes {
 public:
  mailboxes(const region& where, const shared_group& group, int rank, int box)
      : region_(&where), group_(group), rank_(rank), box_(box), peers_(std::size_t(group.size())) {}

  int size() const { return group_.size(); }
  static constexpr std::size_t letter_bytes = group_layout::letter_bytes;

  /// Room for the next letter, or null while all places are full; errno in `why` where the system gave no memory.
  std::byte* open(int to, std::size_t bytes, int& why) {
    peer& there = peers_[std::size_t(to)];
    why = 0;
    if (!there.writer.has_room(group_.taken(box_, rank_, to).taken)) return nullptr;
    const flag next = there.writer.next();
    const std::size_t offset = group_.letter_offset(box_, rank_, to, next);
    std::size_t& pages = there.committed[next % group_layout::letters];
    if (bytes > pages) {
      const std::size_t need = round_up(bytes, page_bytes);
      why = region_->commit(offset, need);
      if (why != 0) return nullptr;
      pages = need;
    }
    return group_.bytes_at(offset);
  }
  /// The letter lies in its place; returns its number, from 1 on.
  flag post(int to) {
    peers_[std::size_t(to)].writer.publish(group_.sent(box_, rank_, to).sent);
    group_.rouse(to);
    return peers_[std::size_t(to)].writer.next();
  }
  /// The other side has taken the letter of that number.
  bool has_taken(int to, flag letter) const {
    return has_reached(hardware_memory::observe(group_.taken(box_, rank_, to).taken), letter);
  }

  /// The oldest letter of a rank, lent until release; null while there is none.
  const std::byte* arrived(int from) {
    peer& there = peers_[std::size_t(from)];
    if (!there.reader.has_letter(group_.sent(box_, from, rank_).sent)) return nullptr;
    return group_.bytes_at(group_.letter_offset(box_, from, rank_, there.reader.next()));
  }
  bool empty_from(int from) const {
    return hardware_memory::observe(group_.sent(box_, from, rank_).sent) == peers_[std::size_t(from)].reader.next();
  }
  void release(int from) {
    peers_[std::size_t(from)].reader.release(group_.taken(box_, from, rank_).taken);
    group_.rouse(from);
  }
  /// See shared_communicator.
  void count_from(flag start) {
    for (int other = 0; other < int(peers_.size()); ++other) {
      hardware_memory::publish(group_.sent(box_, rank_, other).sent, start);
      hardware_memory::publish(group_.taken(box_, other, rank_).taken, start);
      peers_[std::size_t(other)].writer.count_from(start);
      peers_[std::size_t(other)].reader.count_from(start);
    }
  }

 private:
  struct peer {
    mailbox_writer<hardware_memory, group_layout::letters> writer;
    mailbox_reader<hardware_memory> reader;
    std::size_t committed[group_layout::letters] = {};
  };
  const region* region_;
  shared_group group_;
  int rank_, box_;
  std::vector<peer> peers_;
};

}  // namespace tutti::detail
