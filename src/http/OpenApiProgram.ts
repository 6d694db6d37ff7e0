/** The program that prints the OpenAPI document (OpenApiText.ts). */
import { openApiDocument } from "./OpenApiDocument.ts"

process.stdout.write(JSON.stringify(openApiDocument()))
