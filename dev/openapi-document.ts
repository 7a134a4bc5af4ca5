import { describeApi } from '../src/http/openapi/describe.ts'
import { describedAs } from './described-as.ts'

type Value = string | number | boolean | null

/** The keywords of JSON Schema that the tables show. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  format?: string
  pattern?: string
  enum?: readonly Value[]
  required?: readonly string[]
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  minimum?: number
  maximum?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

interface Operation {
  summary: string
  security: { apiKey: [string] }[]
  parameters: { name: string; in: string; description?: string; schema: Schema }[]
  responses: Record<string, object>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** The OpenAPI document with the defaults of an installation. */
export const openapi = JSON.parse(JSON.stringify(describeApi(describedAs))) as Document

export const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    ...operation,
  })),
)
