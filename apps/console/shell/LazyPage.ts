/** A page whose code is loaded when it is first opened. */
import { lazyRouteComponent } from "@tanstack/react-router"

/** The code of a page did not arrive: the server is unreachable, or has a newer build with other file names. */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super("The code of this page could not be loaded.", { cause })
    this.name = "PageNotLoaded"
  }
}

/**
 * Without the error of its own, the router would reload the tab at once. While the server is unreachable the tab would
 * then show the browser's error page, and not come back.
 */
export const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw new PageNotLoaded(cause)
      }),
    name,
  )
