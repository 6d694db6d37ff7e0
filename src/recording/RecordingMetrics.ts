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

/** From the start, so that a scraper sees the first failure as an increase. */
export const beginCounting = Metric.update(failedTotal, 0)

export const fail = Metric.update(failedTotal, 1)

export const begin = Metric.modify(activeNow, 1)

/** `lost` frames are missing in the recording that has ended. */
export const end = (lost: number) => Effect.andThen(Metric.modify(activeNow, -1), Metric.update(lostTotal, lost))
