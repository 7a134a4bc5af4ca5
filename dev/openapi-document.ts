import { describeApi } from '../src/http/openapi/describe.ts'

export interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description: string
  security: { apiKey: [string] }[]
  parameters: {
    name?: string
    in?: string
    required?: boolean
    description?: string
    example?: string | number
    $ref?: string
  }[]
  requestBody?: { required: boolean; content: Record<string, { example?: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { example?: unknown }> }>
}

export interface Document {
  info: { title: string; version: string }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } } }
  >
  components: { schemas: Record<string, object>; examples: Record<string, object> }
}

export const describedAs = {
  publicUrl: 'https://api.payments.example',
  supportContacts: [],
  maxAmount: 1_000_000_000,
  webhookHeaderBrand: 'Service',
  webhookTimeoutMs: 30_000,
  endpointWarningMs: 86_400_000,
}

export const openapi = JSON.parse(JSON.stringify(describeApi(describedAs))) as Document

export const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, each]) => ({ path, method: method.toUpperCase(), ...each })),
)
