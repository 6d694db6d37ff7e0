/**
 * Speech that a recogniser understands, unlike tones: flite speaks sentences of a list, and pocketsphinx writes down
 * which of them it hears in a telephone's recording.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { heardRate, spokenRate, wavOf } from "../../src/speech/Audio.ts"
import { Resampler } from "../../src/speech/Resampler.ts"

const run = promisify(execFile)
const model = "/usr/share/pocketsphinx/model/en-us"

/** Why this machine cannot speak or recognise words. Undefined if it can. */
export const wordsFault =
  existsSync("/usr/bin/flite") && existsSync("/usr/bin/pocketsphinx_continuous") && existsSync(model)
    ? undefined
    : "flite or pocketsphinx is not installed"

/** The id of flite's voice, which pocketsphinx understands best. */
export const fliteVoice = "rms"

/** Runs `work` with a folder of its own. */
const inFolder = async <A>(work: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-words-"))
  return work(folder).finally(() => rmSync(folder, { recursive: true }))
}

/** The sentence as samples at 24 kHz. */
export const say = (sentence: string): Promise<Int16Array> =>
  inFolder(async (folder) => {
    const file = join(folder, "said.wav")
    await run("flite", ["-voice", fliteVoice, "-t", sentence, "-o", file])
    const wav = readFileSync(file)
    const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))
    return new Resampler(wav.readUInt32LE(24), spokenRate).take(samples)
  })

/** What people say: each sentence sounds unlike the others. */
export const sentences = [
  "your appointment is on monday morning",
  "the doctor can see you on thursday afternoon",
  "please bring your insurance card with you",
  "we will call you again next week",
  "your order has left our warehouse today",
  "our office is open until six in the evening",
  "thank you for calling the water company",
  "the repair will take about two hours",
  "your bill was paid in full yesterday",
  "please hold the line for a moment",
] as const

/** The sentences that pocketsphinx hears in samples at 8 kHz, in order. */
export const recognise = (samples: Int16Array): Promise<ReadonlyArray<string>> =>
  inFolder(async (folder) => {
    const [grammar, sound] = [join(folder, "sentences.gram"), join(folder, "heard.wav")]
    writeFileSync(grammar, `#JSGF V1.0;\ngrammar said;\npublic <said> = ${sentences.join(" | ")} ;\n`)
    // A recogniser mishears more in digital silence than in the faint noise of a line.
    const noisy = samples.map((sample, at) => sample + (((at * 7_919) % 61) - 30))
    writeFileSync(sound, wavOf([new Resampler(8_000, heardRate).take(noisy)], heardRate))
    const { stdout } = await run("pocketsphinx_continuous", [
      ...["-infile", sound, "-hmm", `${model}/en-us`, "-dict", `${model}/cmudict-en-us.dict`, "-jsgf", grammar],
      ...["-remove_noise", "no", "-logfn", "/dev/null"],
    ])
    return stdout.split("\n").filter(Boolean)
  })
