/** A page whose code is loaded when it is first opened. */
import { lazyRouteComponent } from "@tanstack/react-router"

/** The code of a page could not be loaded: the server is unreachable, or has a newer build with other file names. */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super("The code of this page could not be loaded.", { cause })
    this.name = "PageNotLoaded"
  }
}

/**
 * Without its own error class the router would reload the tab at once. If the server is unreachable, the tab would then
 * show the browser's error page and never recover.
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
