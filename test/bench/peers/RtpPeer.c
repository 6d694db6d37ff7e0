/*
 * The far side of many calls of G.711, and the least that this machine takes to send them.
 *
 *   RtpPeer measure STREAMS PORT FIRST SECONDS   sends a stream to each of the ports FIRST, FIRST + 2, …, and prints as JSON
 *                                                how evenly the streams from these ports arrive, by the kernel's time stamps
 *   RtpPeer pace STREAMS PORT FIRST SECONDS      sends a packet of each stream every 20 ms to PORT, and prints what that
 *                                                took, as a share of one core
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { frame_bytes = 160, packet_bytes = 172, slots = 20, warm_up_s = 3 };
static const uint64_t second = 1000000000ull;
static int fd, streams, first_port, seconds;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * second + t.tv_nsec;
}

static void sleep_until(uint64_t due) {
  struct timespec t = {due / second, due % second};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static struct sockaddr_in at(int port) {
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  return place;
}

static int open_at(int port) {
  struct sockaddr_in place = at(port);
  int opened = socket(AF_INET, SOCK_DGRAM, 0);
  if (bind(opened, (void *)&place, sizeof place)) {
    perror("bind");
    exit(1);
  }
  return opened;
}

static void write_packet(unsigned char *packet, uint32_t number, uint32_t source) {
  uint32_t stamp = htonl(number * frame_bytes), ssrc = htonl(1000 + source);
  packet[0] = 0x80;
  packet[1] = 0;
  packet[2] = number >> 8;
  packet[3] = number;
  memcpy(packet + 4, &stamp, 4);
  memcpy(packet + 8, &ssrc, 4);
  /* Two seconds of noise, and two of silence: people speak for half of a call. */
  int speaks = (number / 100 + source) % 2;
  for (int at = 0; at < frame_bytes; at++) packet[12 + at] = speaks ? (number * 7 + at * 13) & 0xff : 0xff;
}

/* The streams begin spread over 20 ms, as calls do. */
static void send_slot(uint64_t step) {
  unsigned char packet[packet_bytes];
  for (int stream = step % slots; stream < streams; stream += slots) {
    struct sockaddr_in to = at(first_port + 2 * stream);
    write_packet(packet, step / slots, stream);
    sendto(fd, packet, sizeof packet, 0, (void *)&to, sizeof to);
  }
}

static int compare(const void *one, const void *other) {
  float a = *(const float *)one, b = *(const float *)other;
  return a < b ? -1 : a > b;
}

static uint64_t arrival_of(struct msghdr *message) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part))
    if (part->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      memcpy(&t, CMSG_DATA(part), sizeof t);
      return t.tv_sec * second + t.tv_nsec;
    }
  return 0;
}

/*
 * Reads once a millisecond, since the kernel has stamped the packets. A reader that waits for each packet would be woken
 * by each, and take the processor from the process that is measured.
 */
static void measure(void) {
  int on = 1, buffer = 8 << 20;
  setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer))
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  uint64_t began = now(), slot_ns = second / 50 / slots;
  size_t most = (size_t)streams * seconds * 60, gaps = 0;
  long lost = 0, late = 0;
  float *gap = malloc(most * sizeof *gap);
  uint64_t *last = calloc(streams, sizeof *last);
  int *sequence = calloc(streams, sizeof *sequence);
  for (uint64_t step = 0; step < (uint64_t)seconds * 50 * slots;) {
    unsigned char bytes[2048], control[256];
    struct sockaddr_in from;
    struct iovec part = {bytes, sizeof bytes};
    struct msghdr message = {&from, sizeof from, &part, 1, control, sizeof control, 0};
    int length = recvmsg(fd, &message, MSG_DONTWAIT);
    if (length < 0) {
      sleep_until(began + ++step * slot_ns);
      send_slot(step);
      continue;
    }
    int stream = (ntohs(from.sin_port) - first_port) / 2;
    if (length != packet_bytes || stream < 0 || stream >= streams) continue;
    uint64_t arrived = arrival_of(&message);
    int number = bytes[2] << 8 | bytes[3];
    if (last[stream] && now() - began > warm_up_s * second && gaps < most) {
      int missing = (number - sequence[stream] - 1) & 0xffff;
      gap[gaps] = (arrived - last[stream]) / 1e6f;
      late += gap[gaps++] > 80;
      if (missing < 1000) lost += missing;
    }
    last[stream] = arrived;
    sequence[stream] = number;
  }
  if (gaps == 0) {
    fprintf(stderr, "no packets arrived\n");
    exit(1);
  }
  qsort(gap, gaps, sizeof *gap, compare);
  printf("{\"packets\":%zu,\"lost\":%ld,\"late\":%ld,\"p50\":%.2f,\"p99\":%.2f,\"p999\":%.2f,\"max\":%.2f}\n", gaps, lost, late,
         gap[gaps / 2], gap[gaps * 99 / 100], gap[gaps * 999 / 1000], gap[gaps - 1]);
}

static void pace(int port) {
  unsigned char packet[packet_bytes];
  int *sockets = malloc(streams * sizeof *sockets);
  struct sockaddr_in to = at(port);
  for (int stream = 0; stream < streams; stream++) sockets[stream] = open_at(first_port + 2 * stream);
  uint64_t began = now();
  for (uint64_t number = 0; number < (uint64_t)seconds * 50; number++) {
    sleep_until(began + number * (second / 50));
    for (int stream = 0; stream < streams; stream++) {
      write_packet(packet, number, stream);
      sendto(sockets[stream], packet, sizeof packet, 0, (void *)&to, sizeof to);
    }
  }
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  printf("{\"cpu\":%.4f}\n", (used.tv_sec + used.tv_nsec / 1e9) / seconds);
}

int main(int count, char **values) {
  if (count != 6) return 2;
  streams = atoi(values[2]);
  int port = atoi(values[3]);
  first_port = atoi(values[4]);
  seconds = atoi(values[5]);
  if (!strcmp(values[1], "pace")) {
    pace(port);
    return 0;
  }
  fd = open_at(port);
  measure();
  return 0;
}
