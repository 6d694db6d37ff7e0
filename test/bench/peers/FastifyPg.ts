/** A peer of the http benchmark: fastify with response schemas, as its manual recommends for speed, on `pg`. */
import fastify from "fastify"
import * as Work from "./Work.ts"

const faq = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    question: { type: "string" },
    answer: { type: "string" },
    category: { type: "string" },
    is_default: { type: "boolean" },
    modified_from_default: { type: "boolean" },
    created_at: { type: "string", format: "date-time" },
    updated_at: { type: "string", format: "date-time" },
  },
}
const page = {
  type: "object",
  properties: {
    items: { type: "array", items: faq },
    page: { type: "integer" },
    page_size: { type: "integer" },
    total: { type: "integer" },
  },
}
const query = {
  type: "object",
  properties: {
    page: { type: "integer", minimum: 0, default: 0 },
    page_size: { type: "integer", minimum: 1, maximum: 100, default: 50 },
  },
}

const app = fastify()

app.setErrorHandler((error, _request, reply) =>
  reply.status(error instanceof Work.Refused ? error.status : 500).send({ error: "refused" }),
)
app.get<{ Params: { id: string } }>("/api/faqs/:id", { schema: { response: { 200: faq } } }, async (request, reply) => {
  const found = await Work.read(request.headers, request.params.id)
  reply.header("etag", found.etag)
  return found.faq
})
app.get<{ Querystring: { page: number; page_size: number } }>(
  "/api/faqs",
  { schema: { querystring: query, response: { 200: page } } },
  (request) => Work.list(request.headers, request.query.page, request.query.page_size),
)

console.log(`fastify is ready at ${await app.listen({ host: "127.0.0.1", port: 0 })}`)
