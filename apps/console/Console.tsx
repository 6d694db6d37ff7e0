/** The console starts here: its style, its pages, the notices over them. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { platformQueries } from "./data/Queries.ts"
import { router } from "./Routes.tsx"
import { Notices } from "./shell/Notices.tsx"
import "./theme/tokens.css"
import "./theme/type.css"
import "./theme/base.css"
import "./figures/fills.css"

const place = document.getElementById("console")
if (place === null) throw new Error("The page has no place for the console")

createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={platformQueries}>
      <RouterProvider router={router} />
      <Notices />
    </QueryClientProvider>
  </StrictMode>,
)
