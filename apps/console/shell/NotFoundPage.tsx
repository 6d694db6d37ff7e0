/** The page for an unknown path. */
import { Link } from "@tanstack/react-router"
import { PageHeading } from "./Page.tsx"
import "./PageFailed.css"

export const NotFoundPage = () => (
  <div className="PageFailed">
    <PageHeading name="Not found">Page not found</PageHeading>
    <p className="quiet">
      The link may be old or belong to another account. <Link to="/">Go to overview</Link>
    </p>
  </div>
)
