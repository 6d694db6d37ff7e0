/** The page of each kind of thing that agents share. */
export const catalogPlaces = {
  tool: "/$account/tools",
  playbook: "/$account/playbooks/{-$id}",
  FAQ: "/$account/faqs/{-$id}",
} as const
