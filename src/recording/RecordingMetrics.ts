/** The metrics of recordings: for the whole process, never for one account. */
import { Effect, Metric } from "effect"

const activeNow = Metric.gauge("parley_recordings_active", { description: "Calls that this process records now." })
const lostTotal = Metric.counter("parley_recording_frames_lost_total", {
  description: "Frames of 20 ms that are missing in recordings, because they or the disk came too late.",
  incremental: true,
})

const failedTotal = Metric.counter("parley_recordings_failed_total", {
  description: "Recordings that did not begin, or that an error ended before the call was over.",
  incremental: true,
})
const waitingNow = Metric.gauge("parley_recordings_waiting", {
  description: "Recordings on this machine's disk that wait for the object store.",
})
const waitingBytesNow = Metric.gauge("parley_recordings_waiting_bytes", {
  description: "The size of the recordings that wait for the object store.",
})
const uploadsTotal = Metric.counter("parley_recording_uploads_total", {
  description: "Recordings that this process has brought to the object store.",
  incremental: true,
})
const uploadFailuresTotal = Metric.counter("parley_recording_upload_failures_total", {
  description: "Uploads of recordings that failed and are tried again.",
  incremental: true,
})

/** Starts the counter at 0, so that a scraper sees the first failure as an increase. */
export const beginCounting = Metric.update(failedTotal, 0)

export const fail = Metric.update(failedTotal, 1)

export const begin = Metric.modify(activeNow, 1)

/** Counts the end of a recording that lacks `lost` frames. */
export const end = (lost: number) => Effect.andThen(Metric.modify(activeNow, -1), Metric.update(lostTotal, lost))

export const setWaiting = (count: number, bytes: number) =>
  Effect.andThen(Metric.update(waitingNow, count), Metric.update(waitingBytesNow, bytes))
export const countUpload = Metric.update(uploadsTotal, 1)
export const countUploadFailure = Metric.update(uploadFailuresTotal, 1)
