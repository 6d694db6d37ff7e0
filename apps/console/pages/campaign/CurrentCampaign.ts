/** The campaign whose tabs are open, and the live view of its figures. */
import { createContext, useContext } from "react"
import type { Outputs } from "../../data/AccountPulse.ts"
import type { CampaignView, Live } from "../../data/LiveViews.ts"

export type OpenCampaign = Outputs["campaigns"]["get"]

interface Opened {
  readonly campaign: OpenCampaign
  readonly live: Live<CampaignView>
}

const Present = createContext<Opened | null>(null)

export const CurrentCampaign = Present.Provider

const useOpened = (): Opened => {
  const opened = useContext(Present)
  if (opened === null) throw new Error("No campaign is open here")
  return opened
}

export const useCampaign = (): OpenCampaign => useOpened().campaign
export const useCurrentView = (): Live<CampaignView> => useOpened().live
