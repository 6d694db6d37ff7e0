/** After a form was refused, the keyboard stands in the first field that needs a change. */
export const focusFirstFault = (form: HTMLFormElement): void => {
  // The faults are drawn first.
  requestAnimationFrame(() => form.querySelector<HTMLElement>("[data-invalid] :is(input, textarea)")?.focus())
}
