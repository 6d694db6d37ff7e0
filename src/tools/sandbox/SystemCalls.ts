/**
 * The filter of system calls (seccomp, classic BPF). It refuses calls that get around the sandbox's other limits:
 * memory that no limit of a process counts (System V, memfd), sockets (AF_VSOCK ignores network namespaces), and kernel
 * interfaces that no tool needs and that have been weak spots of the kernel.
 */

/** Numbers of the calls by machine: Linux's `asm/unistd.h`. */
const machines: Partial<
  Record<NodeJS.Architecture, { readonly audit: number; readonly refused: ReadonlyArray<number> }>
> = {
  x64: {
    audit: 0xc000_003e,
    refused: [
      ...[29, 30, 31, 64, 68, 240], // shmget, shmat, shmctl, semget, msgget, mq_open
      ...[319, 447], // memfd_create, memfd_secret
      41, // socket
      ...[101, 310, 311, 298, 321, 323], // ptrace, process_vm_readv, process_vm_writev, perf_event_open, bpf, userfaultfd
      ...[248, 249, 250], // add_key, request_key, keyctl
      ...[425, 426, 427], // io_uring_setup, io_uring_enter, io_uring_register
      ...[165, 166, 155, 161, 272, 308, 428, 429, 430, 442], // mount, umount2, pivot_root, chroot, unshare, setns, open_tree, move_mount, fsopen, mount_setattr
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    refused: [
      ...[194, 196, 195, 190, 186, 180],
      ...[279, 447],
      198,
      ...[117, 270, 271, 241, 280, 282],
      ...[217, 218, 219],
      ...[425, 426, 427],
      ...[40, 39, 41, 51, 97, 268, 428, 429, 430, 442],
    ],
  },
}

/** Offsets in `struct seccomp_data`. */
const numberAt = 0
const machineAt = 4
/** Opcodes of classic BPF. */
const load = 0x20
const jumpIfEqual = 0x15
const jumpIfNotBelow = 0x35
const answer = 0x06

const allow = 0x7fff_0000
const kill = 0x8000_0000
const permissionDenied = 0x0005_0001
/** On x64 the numbers of another calling convention begin here and reach the same calls. */
const x32 = 0x4000_0000

/** The filter's bytes; undefined for an architecture whose call numbers are not listed. */
export const filter = (architecture: NodeJS.Architecture): Uint8Array | undefined => {
  const machine = machines[architecture]
  if (machine === undefined) return undefined
  const checks = machine.refused.length
  const program: ReadonlyArray<readonly [code: number, whenTrue: number, whenFalse: number, value: number]> = [
    [load, 0, 0, machineAt],
    [jumpIfEqual, 1, 0, machine.audit],
    [answer, 0, 0, kill],
    [load, 0, 0, numberAt],
    [jumpIfNotBelow, checks + 1, 0, x32],
    ...machine.refused.map((number, at) => [jumpIfEqual, checks - at, 0, number] as const),
    [answer, 0, 0, allow],
    [answer, 0, 0, permissionDenied],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, [code, whenTrue, whenFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(whenTrue, at * 8 + 2)
    bytes.writeUInt8(whenFalse, at * 8 + 3)
    bytes.writeUInt32LE(value, at * 8 + 4)
  }
  return bytes
}
