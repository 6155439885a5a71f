#include "simulated/libraries/nccl/message.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace simulated::nccl {

const char* name(Verb verb) {
  constexpr const char* names[] = {"ncclAllReduce", "ncclBroadcast", "ncclAllGather", "ncclReduceScatter",
                                   "ncclReduce",    "ncclSend",      "ncclRecv"};
  return names[static_cast<std::size_t>(verb)];
}

std::size_t bytes_of(ncclDataType_t type) {
  constexpr std::size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}

std::string describe(const Description& call) {
  constexpr const char* types[] = {"int8",   "uint8",   "int32",   "uint32",  "int64",
                                   "uint64", "float16", "float32", "float64", "bfloat16"};
  constexpr const char* reductions[] = {"sum", "product", "max", "min", "avg"};
  std::string text = std::string(name(call.verb)) + " of " + std::to_string(call.count) + " " + types[call.type];
  if (call.verb == Verb::all_reduce || call.verb == Verb::reduce_scatter || call.verb == Verb::reduce)
    text += std::string(" (") + reductions[call.reduce] + ")";
  if (call.peer >= 0)
    text += (call.verb == Verb::send      ? " to rank "
             : call.verb == Verb::receive ? " from rank "
                                          : " from root ") +
            std::to_string(call.peer);
  return call.in_graph ? text + " in a graph" : text;
}

Message text_message(Kind kind, const std::string& text) {
  Message message{.kind = kind};
  text.copy(message.text, sizeof message.text - 1);
  return message;
}

Payload::Payload(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  descriptor_ = memfd_create("NCCL", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) throw std::bad_alloc();
  map();
}

Payload::Payload(const void* data, std::size_t bytes) : Payload(bytes) {
  if (bytes > 0) std::memcpy(data_, data, bytes);
}

Payload Payload::received(int descriptor) {
  Payload payload;
  payload.descriptor_ = descriptor;
  struct stat status{};
  if (fstat(descriptor, &status) != 0) throw std::bad_alloc();
  payload.bytes_ = static_cast<std::size_t>(status.st_size);
  payload.map();
  return payload;
}

void Payload::map() {
  void* const start = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(start);
}

Payload::Payload(Payload&& other) noexcept { *this = std::move(other); }

Payload& Payload::operator=(Payload&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Payload::~Payload() {
  if (data_) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

namespace {

/// One packet with room for a descriptor.
struct Envelope {
  iovec part{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};

  explicit Envelope(Message& message) : part{&message, sizeof message} {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
};

sockaddr_un address_of(const std::string& name, socklen_t& bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);  // a first byte of 0: no file
  bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

template <class Call> auto repeated(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

bool send(int socket, const Message& message, const Payload& payload) {
  Message copy = message;
  Envelope envelope(copy);
  if (payload.descriptor() >= 0) {
    cmsghdr* const control = CMSG_FIRSTHDR(&envelope.header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    const int descriptor = payload.descriptor();
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof descriptor);
  } else {
    envelope.header.msg_control = nullptr;
    envelope.header.msg_controllen = 0;
  }
  return repeated([&] { return sendmsg(socket, &envelope.header, MSG_NOSIGNAL); }) == sizeof message;
}

std::optional<Packet> receive(int socket) {
  Packet packet;
  Envelope envelope(packet.message);
  if (repeated([&] { return recvmsg(socket, &envelope.header, MSG_CMSG_CLOEXEC); }) != sizeof packet.message)
    return std::nullopt;
  if (const cmsghdr* const control = CMSG_FIRSTHDR(&envelope.header)) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(control), sizeof descriptor);
    packet.payload = Payload::received(descriptor);
  }
  return packet;
}

int listen_at(const std::string& name) {
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  socklen_t bytes = 0;
  const sockaddr_un address = address_of(name, bytes);
  if (listener >= 0 && bind(listener, reinterpret_cast<const sockaddr*>(&address), bytes) == 0 &&
      listen(listener, SOMAXCONN) == 0)
    return listener;
  close(listener);
  return -1;
}

int connect_to(const std::string& name) {
  const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  socklen_t bytes = 0;
  const sockaddr_un address = address_of(name, bytes);
  if (connection >= 0 &&
      repeated([&] { return connect(connection, reinterpret_cast<const sockaddr*>(&address), bytes); }) == 0)
    return connection;
  close(connection);
  return -1;
}

}  // namespace simulated::nccl
