/** The telephone baresip as the far side of a call: it answers at once, says a sound, and records what it hears. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wavOf } from "../../src/speech/Audio.ts"
import { until } from "./Until.ts"

const modules = "/usr/lib/baresip/modules"
const loopback = "127.0.0.1"
const rate = 8_000

/** Why there is no baresip here; undefined where there is. */
export const baresipFault =
  existsSync("/usr/bin/baresip") && existsSync(modules) ? undefined : "baresip is not installed"

export const portsOfBaresip = 41

export interface BaresipOptions {
  /** The first of `portsOfBaresip` in a row: SIP listens here, and those from the tenth on are for sound. */
  readonly port: number
  /** Samples of 8 kHz. The call ends with them. */
  readonly says: Int16Array
  readonly isEncrypted: boolean
  /** The user part of the address at which it is called. */
  readonly user?: string
}

const configOf = (folder: string, port: number): string =>
  [
    ...["poll_method epoll", `sip_listen ${loopback}:${port}`, `module_path ${modules}`, `snd_path ${folder}`],
    ...[
      `audio_source aufile,${folder}/says.wav`,
      "audio_alert aufile,/dev/null",
      `rtp_ports ${port + 10}-${port + portsOfBaresip - 1}`,
    ],
    ...["ausrc_srate 8000", "auplay_srate 8000", "ausrc_channels 1", "auplay_channels 1"],
    ...["g711", "aufile", "sndfile", "srtp"].map((name) => `module ${name}.so`),
    ...["uuid", "account"].map((name) => `module_tmp ${name}.so`),
    "module_app menu.so\n",
  ].join("\n")

/** Runs until the scope closes. */
export const baresip = Effect.fnUntraced(function* ({ isEncrypted, port, says, user = "bob" }: BaresipOptions) {
  const folder = mkdtempSync(join(tmpdir(), "parley-baresip-"))
  const encryption = isEncrypted ? ";mediaenc=srtp-mand" : ""
  writeFileSync(join(folder, "says.wav"), wavOf([says], rate))
  writeFileSync(join(folder, "config"), configOf(folder, port))
  const account = `<sip:${user}@${loopback}:${port}>;regint=0;answermode=auto;audio_codecs=PCMU/8000/1${encryption}\n`
  writeFileSync(join(folder, "accounts"), account)
  writeFileSync(join(folder, "contacts"), "")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn("baresip", ["-f", folder], { stdio: ["ignore", "pipe", "ignore"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL")),
  )
  let log = ""
  child.stdout.on("data", (bytes) => (log += bytes))
  yield* Effect.promise(() => until(() => log.includes("baresip is ready")))
  /** The samples of 8 kHz that it has heard so far. */
  const heard = (): Int16Array => {
    const file = readdirSync(folder).find((file) => file.endsWith("-dec.wav"))
    const bytes = file === undefined ? Buffer.alloc(0) : readFileSync(join(folder, file)).subarray(44)
    return new Int16Array(new Uint8Array(bytes.subarray(0, bytes.length & ~1)).buffer)
  }
  return { heard }
})
