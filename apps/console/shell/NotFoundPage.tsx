/** Nothing is under this path. */
import { Link } from "@tanstack/react-router"
import { PageHeading } from "./Page.tsx"
import "./PageFailed.css"

export const NotFoundPage = () => (
  <div className="PageFailed">
    <PageHeading name="Not found">There is no such page</PageHeading>
    <p className="quiet">
      The link may be old, or of another account. <Link to="/">To the start</Link>
    </p>
  </div>
)
