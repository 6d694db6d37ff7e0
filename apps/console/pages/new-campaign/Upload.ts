/** Uploads a contact list: reports progress, and returns the draft. */
import { campaignReadOnly } from "../../../../src/domain/CampaignReadOnly.ts"
import type { Campaign } from "../../data/Campaigns.ts"
import { Problem, type ProblemBody } from "../../data/Problem.ts"
import { asMember } from "../../data/Rest.ts"
import type { OpenCampaign } from "../campaign/CurrentCampaign.ts"

export interface NewDraft {
  readonly name: string
  readonly agent_id: string
  readonly phone_number_id: string
}

const isSetting = (field: string): boolean =>
  !(campaignReadOnly as ReadonlyArray<string>).includes(field) && field !== "etag"

/** The settings that a draft passes on to the one that replaces it. */
export const settingsOf = (campaign: OpenCampaign): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(campaign).filter(([field]) => isSetting(field)))

/** Uses XMLHttpRequest, since `fetch` does not report upload progress. */
export const upload = (
  account: string,
  draft: NewDraft & Readonly<Record<string, unknown>>,
  list: Blob,
  fileName: string,
  onProgress: (share: number) => void,
): Promise<Campaign> =>
  new Promise((resolve, reject) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(draft)) {
      if (value !== null && value !== undefined) {
        form.set(name, typeof value === "string" ? value : JSON.stringify(value))
      }
    }
    form.set("contacts", list, fileName)
    const request = new XMLHttpRequest()
    request.open("POST", "/api/v1/campaigns")
    for (const [name, value] of Object.entries(asMember(account))) request.setRequestHeader(name, value)
    request.responseType = "json"
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total))
    request.addEventListener("load", () => {
      if (request.status === 201) resolve(request.response as Campaign)
      else reject(new Problem((request.response ?? unreadable(request.status)) as ProblemBody))
    })
    request.addEventListener("error", () => reject(new Error("The server did not answer")))
    request.send(form)
  })

const unreadable = (status: number): ProblemBody => ({
  status,
  code: "unreadable",
  title: "Refused",
  detail: `The server answered ${status}.`,
})
