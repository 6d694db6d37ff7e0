/**
 * The frame of an account's pages. It makes their requests for the account. When the session ends, it leads to the
 * sign-in.
 */
import { Outlet, useNavigate, useParams, useRouter } from "@tanstack/react-router"
import { lazy, Suspense, useEffect } from "react"
import { AccountProvider } from "./data/Account.tsx"
import { rememberAccount } from "./session/LastAccount.ts"
import { useOrganisation } from "./session/Organisation.ts"
import { useSession } from "./session/Session.ts"
import { usePlaceKeys } from "./shell/Places.ts"
import { Shell } from "./shell/Shell.tsx"

const NotMemberPage = lazy(async () => ({
  default: (await import("./pages/sign-in/NotMemberPage.tsx")).NotMemberPage,
}))

export const AccountFrame = () => {
  const { account } = useParams({ from: "/$account" })
  const isSignedIn = useSession() !== null
  const navigate = useNavigate()
  const router = useRouter()
  useEffect(() => {
    // Read on demand: a component that subscribes to the URL renders again, with its children, at each change of it.
    const next = router.state.location.href
    if (!isSignedIn) void navigate({ to: "/sign-in", search: { next, account }, replace: true })
  }, [isSignedIn, navigate, router, account])
  const { data } = useOrganisation()
  const isMember = data?.accounts.some(({ slug }) => slug === account)
  useEffect(() => {
    if (isMember === true) rememberAccount(account)
  }, [isMember, account])
  if (!isSignedIn) return null
  if (isMember === false) {
    return (
      <Suspense>
        <NotMemberPage account={account} />
      </Suspense>
    )
  }
  return (
    <AccountProvider key={account} slug={account}>
      <PlaceKeys />
      <Shell>
        <Outlet />
      </Shell>
    </AccountProvider>
  )
}

const PlaceKeys = () => {
  usePlaceKeys()
  return null
}
