import { describeApi } from '../src/http/openapi/describe.ts'
import { describedAs } from './described-as.ts'

interface Operation {
  summary: string
  security: { apiKey: [string] }[]
  parameters: { name: string; in: string }[]
  responses: Record<string, object>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
}

/** The OpenAPI document with the defaults of an installation. */
export const openapi = JSON.parse(JSON.stringify(describeApi(describedAs))) as Document

export const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...operation,
  })),
)
