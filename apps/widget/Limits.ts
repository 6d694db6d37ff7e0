/** Limits of the server, copied here because the server's schemas are larger than the widget. */

/** `longestText` of src/domain/WidgetMessage.ts. A test compares the two. */
export const longestText = 4_000
