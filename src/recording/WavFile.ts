/**
 * A growing WAV file with two channels of 16 bits. The header is rewritten after each part, so that the file can be
 * played up to its last part even if its writer is killed.
 */
import { type FileHandle, mkdir, open, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"

export const headerBytes = 44
const channels = 2
const bytesPerSample = 2
/** Recordings are personal data: only the user of the service may read them. */
const ownFile = 0o600
const ownFolder = 0o700

/** The RIFF header of a file with this many bytes of sound. */
export const headerOf = (rate: number, soundBytes: number): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.write("RIFF", 0, "latin1")
  header.writeUInt32LE(headerBytes - 8 + soundBytes, 4)
  header.write("WAVEfmt ", 8, "latin1")
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * channels * bytesPerSample, 28)
  header.writeUInt16LE(channels * bytesPerSample, 32)
  header.writeUInt16LE(bytesPerSample * 8, 34)
  header.write("data", 36, "latin1")
  header.writeUInt32LE(soundBytes, 40)
  return header
}

export class WavFile {
  readonly #file: FileHandle
  readonly #rate: number
  #soundBytes = 0

  private constructor(file: FileHandle, rate: number) {
    this.#file = file
    this.#rate = rate
  }

  /**
   * Creates the file and its folders. Fails if the file exists. Leaves no file behind if it fails, for example on a
   * full disk.
   */
  static async create(path: string, rate: number): Promise<WavFile> {
    await mkdir(dirname(path), { recursive: true, mode: ownFolder })
    const made = new WavFile(await open(path, "wx", ownFile), rate)
    try {
      await made.#writeHeader()
      return made
    } catch (fault) {
      await made.close().catch(() => {})
      await rm(path, { force: true })
      throw fault
    }
  }

  /** Writes a part at this position of the sound. A gap before it is silence. */
  async write(at: number, bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes, 0, bytes.length, headerBytes + at)
    this.#soundBytes = Math.max(this.#soundBytes, at + bytes.length)
    await this.#writeHeader()
  }

  async #writeHeader(): Promise<void> {
    await this.#file.write(headerOf(this.#rate, this.#soundBytes), 0, headerBytes, 0)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** Repairs the header of a file whose writer was killed between a part and the header, or within a part. */
export const repair = async (path: string): Promise<void> => {
  const file = await open(path, "r+")
  try {
    const header = Buffer.alloc(headerBytes)
    const { bytesRead } = await file.read(header, 0, headerBytes, 0)
    if (bytesRead < headerBytes) return
    const { size } = await file.stat()
    const wholeSamples = channels * bytesPerSample
    const soundBytes = Math.floor((size - headerBytes) / wholeSamples) * wholeSamples
    if (header.readUInt32LE(40) === soundBytes) return
    await file.write(headerOf(header.readUInt32LE(24), soundBytes), 0, headerBytes, 0)
  } finally {
    await file.close()
  }
}

/** Returns the size in bytes; undefined if there is no such file. */
export const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
