/** The server's limits, copied here because its schemas are larger than the widget. */

/** `longestText` of src/domain/WidgetMessage.ts; a test holds them together. */
export const longestText = 4_000
