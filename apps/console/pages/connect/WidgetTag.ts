/** What puts the widget on a page. */
export const scriptTag = (key: string): string =>
  `<script src="${location.origin}/widget.js" data-key="${key}" async></script>`
