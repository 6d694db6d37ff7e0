/** The telephone baresip at the far end of a call: it calls or answers at once, speaks, and records what it hears. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wavOf } from "../../src/speech/Audio.ts"
import type { Transport } from "../../src/telephony/sip/Hop.ts"
import { freePorts } from "./FreePorts.ts"
import { certificate } from "./SipAgents.ts"
import { joined, silence } from "./ToneCode.ts"
import { until } from "./Until.ts"

const modules = "/usr/lib/baresip/modules"
const loopback = "127.0.0.1"
const rate = 8_000

/** Why tests with baresip cannot run on this machine. Undefined if they can. */
export const baresipFault =
  existsSync("/usr/bin/baresip") && existsSync(modules) ? undefined : "baresip is not installed"

/** The first port is for SIP over UDP and TCP, the next for TLS, the one after it for commands, the last 31 for sound. */
const ports = 41

export interface BaresipOptions {
  /** Samples at 8 kHz to play from the beginning of the call. The call ends with the last of them. */
  readonly says?: Int16Array
  /** The transport on which it calls and listens. */
  readonly transport?: Transport
  readonly isEncrypted: boolean
  /** The user part of its SIP address. */
  readonly user?: string
}

/** The longest call, in milliseconds, without further calls of `say`. */
const longestMs = 120_000
const quiet = silence(longestMs, rate)

const configOf = (folder: string, port: number): string =>
  [
    ...["poll_method epoll", `sip_listen ${loopback}:${port}`, `module_path ${modules}`, `snd_path ${folder}`],
    ...[`sip_certificate ${folder}/certificate.pem`, `sip_cafile ${certificate.file}`],
    ...[
      `audio_source aufile,${folder}/says.wav`,
      "audio_alert aufile,/dev/null",
      `rtp_ports ${port + 10}-${port + ports - 1}`,
    ],
    ...["ausrc_srate 8000", "auplay_srate 8000", "ausrc_channels 1", "auplay_channels 1"],
    ...["g711", "aufile", "sndfile", "srtp"].map((name) => `module ${name}.so`),
    ...["uuid", "account"].map((name) => `module_tmp ${name}.so`),
    ...["module_app menu.so", "module_app ctrl_tcp.so", `ctrl_tcp_listen ${loopback}:${port + 2}\n`],
  ].join("\n")

/** Starts baresip on free ports. It runs until the scope closes. */
export const baresip = Effect.fnUntraced(function* (options: BaresipOptions) {
  const { isEncrypted, says = quiet, transport = "udp", user = "bob" } = options
  const port = yield* Effect.promise(() => freePorts(ports))
  const folder = mkdtempSync(join(tmpdir(), "parley-baresip-"))
  const encryption = isEncrypted ? ";mediaenc=srtp-mand" : ""
  const over = transport === "udp" ? "" : `;transport=${transport}`
  writeFileSync(join(folder, "says.wav"), wavOf([says], rate))
  writeFileSync(join(folder, "certificate.pem"), `${certificate.cert}${certificate.key}`)
  writeFileSync(join(folder, "config"), configOf(folder, port))
  const account = `<sip:${user}@${loopback}:${port}${over}>;regint=0;answermode=auto;audio_codecs=PCMU/8000/1${encryption}\n`
  writeFileSync(join(folder, "accounts"), account)
  writeFileSync(join(folder, "contacts"), "")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("baresip", ["-f", folder], { stdio: ["ignore", "pipe", "ignore"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL")),
  )
  let log = ""
  child.stdout.on("data", (bytes) => (log += bytes))
  yield* Effect.promise(() =>
    until(() => {
      assert.isNull(child.exitCode, `baresip ended before it was ready: ${log}`)
      return log.includes("baresip is ready")
    }),
  )
  const control = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(port + 2, loopback)
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy()),
  )
  /** Events, and answers to commands, as text. */
  let told = ""
  control.on("data", (bytes) => (told += bytes))
  /** Sends a command of its menu (`dial`, `hangup`), or a key to press during a call. */
  const command = (name: string, params = "") => {
    const text = JSON.stringify({ command: name, params })
    control.write(`${text.length}:${text},`)
  }
  /** The samples heard so far, at 8 kHz. */
  const heard = (): Int16Array => {
    const file = readdirSync(folder).find((file) => file.endsWith("-dec.wav"))
    const bytes = file === undefined ? Buffer.alloc(0) : readFileSync(join(folder, file)).subarray(44)
    return new Int16Array(new Uint8Array(bytes.subarray(0, bytes.length & ~1)).buffer)
  }
  let sayings = 0
  return {
    /** Where it listens for SIP. TLS has the next port. */
    port,
    heard,
    command,
    told: () => told,
    log: () => log,
    /** Calls the number at a server's address and port. */
    dial: (number: string, server: string) => command("dial", `sip:${number}@${server}${over}`),
    /** Plays the samples from now on, in place of anything before. */
    say: (samples: Int16Array) => {
      const file = join(folder, `says${++sayings}.wav`)
      writeFileSync(file, wavOf([joined(samples, quiet)], rate))
      command("ausrc", `aufile,${file}`)
    },
  }
})

export type Baresip = Effect.Success<ReturnType<typeof baresip>>
