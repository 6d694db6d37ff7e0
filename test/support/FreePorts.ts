/** Ports that no process on this machine uses, for programs that must know a port before they listen on it. */
import { once } from "node:events"
import { randomInt } from "node:crypto"
import { createSocket } from "node:dgram"
import { createServer } from "node:net"

const loopback = "127.0.0.1"

/** Opens every port for UDP and closes it again. False if another process has one of them. */
const areFreeForUdp = async (ports: ReadonlyArray<number>): Promise<boolean> => {
  const sockets = ports.map((port) => {
    const socket = createSocket("udp4")
    const opened = once(socket, "listening").then(
      () => true,
      () => false,
    )
    socket.bind({ address: loopback, port, exclusive: true })
    return { socket, opened }
  })
  const opened = await Promise.all(sockets.map((each) => each.opened))
  await Promise.all(sockets.map(({ socket }) => new Promise<void>((resolve) => void socket.close(resolve))))
  return opened.every(Boolean)
}

const isFreeForTcp = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, loopback)
  const isFree = await once(server, "listening").then(
    () => true,
    () => false,
  )
  if (isFree) {
    server.close()
    await once(server, "close")
  }
  return isFree
}

/**
 * A port that is free for UDP and TCP, and stays free until a server listens on it: Parley's ports for sound end at
 * 29999, and the system assigns ports from 32768 to connections.
 */
export const freePort = async (): Promise<number> => {
  while (true) {
    const port = randomInt(30_000, 32_768)
    if ((await isFreeForTcp(port)) && (await areFreeForUdp([port]))) return port
  }
}

/**
 * The first of `count` consecutive ports that are free for UDP and TCP, an even number below 20000. Tests use no other
 * ports in that range.
 */
export const freePorts = async (count: number): Promise<number> => {
  while (true) {
    const first = 2 * randomInt(5_000, 10_000 - count)
    const ports = Array.from({ length: count }, (_, at) => first + at)
    const areFree = await Promise.all([areFreeForUdp(ports), ...ports.map(isFreeForTcp)])
    if (areFree.every(Boolean)) return first
  }
}
