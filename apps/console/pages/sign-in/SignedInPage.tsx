/** The page to which the identity provider redirects. Takes the token and continues at the earlier page. */
import { Link, useNavigate } from "@tanstack/react-router"
import { useEffect, useRef, useState } from "react"
import { useServerSettings } from "../../session/ServerSettings.ts"
import { safeNext } from "../../session/Next.ts"
import { PageHeading } from "../../shell/Page.tsx"
import { FirstLoad } from "../../shell/FirstLoad.tsx"
import { SignInFrame } from "./SignInFrame.tsx"

export const SignedInPage = () => {
  const navigate = useNavigate()
  const { data: settings } = useServerSettings()
  const [failure, setFailure] = useState<{ readonly why: string; readonly next: string | undefined }>()
  // A code can be exchanged once, and development mode mounts a component twice.
  const hasBegun = useRef(false)
  useEffect(() => {
    if (settings === undefined || settings.oidc === null || hasBegun.current) return
    hasBegun.current = true
    const { oidc } = settings
    const exchange = async () => {
      const { comeBack, NotSignedIn } = await import("../../session/OidcSignIn.ts")
      try {
        const next = await comeBack(oidc, new URL(location.href))
        await navigate({ to: safeNext(next) ?? "/", replace: true })
      } catch (cause) {
        setFailure({ why: String(cause), next: undefined })
        if (cause instanceof NotSignedIn) setFailure({ why: cause.message, next: cause.next })
      }
    }
    void exchange()
  }, [settings, navigate])

  return (
    <SignInFrame>
      {failure === undefined ? (
        <FirstLoad />
      ) : (
        <>
          <PageHeading name="Not signed in">You are not signed in</PageHeading>
          <p className="quiet">{failure.why}</p>
          <p>
            <Link to="/sign-in" search={{ next: failure.next }}>
              Sign in again
            </Link>
          </p>
        </>
      )}
    </SignInFrame>
  )
}
