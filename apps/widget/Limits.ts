/** What the server takes, known here without its schemas, which weigh more than the widget. */

/** `longestText` of src/domain/WidgetMessage.ts; a test holds them together. */
export const longestText = 4_000
