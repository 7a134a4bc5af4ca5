import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listen } from './listen.ts'

export interface CollectedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  links: string[]
  failed: boolean
}

export async function startCollector(status = 200) {
  const spans: CollectedSpan[] = []
  const bodies: unknown[] = []
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = (await json(req)) as Export
    bodies.push(body, req.headers)
    if (status === 200 && req.url === '/v1/traces') spans.push(...spansIn(body))
    res.writeHead(status, { 'Content-Type': 'application/json' }).end('{}')
  }
  const { origin, close } = await listen(createServer((req, res) => void take(req, res)))
  return { url: origin, spans, allText: () => JSON.stringify(bodies), close }
}

type Attribute = { key: string; value: Record<string, unknown> }

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: {
        name: string
        traceId: string
        spanId: string
        parentSpanId?: string
        attributes: Attribute[]
        links: { traceId: string }[]
        status: { code: number }
      }[]
    }[]
  }[]
}

const spansIn = ({ resourceSpans }: Export): CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, attributes, links, status }) => ({
        service: serviceIn(valuesOf(resource.attributes)),
        name,
        traceId,
        spanId,
        parentSpanId,
        attributes: valuesOf(attributes),
        links: links.map((link) => link.traceId),
        failed: status.code === 2,
      })),
    ),
  )

const serviceIn = (resource: Record<string, unknown>): string =>
  `${String(resource['service.name'])} ${String(resource['service.version'])}`
const valuesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
