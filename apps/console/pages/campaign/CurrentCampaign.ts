/** The campaign whose tabs are open. */
import { createContext, useContext } from "react"
import type { Outputs } from "../../data/AccountPulse.ts"

export type OpenCampaign = Outputs["campaigns"]["get"]

const Present = createContext<OpenCampaign | null>(null)

export const CurrentCampaign = Present.Provider

export const useCampaign = (): OpenCampaign => {
  const campaign = useContext(Present)
  if (campaign === null) throw new Error("No campaign is open here")
  return campaign
}
