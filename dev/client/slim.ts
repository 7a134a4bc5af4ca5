/** The parts of an operation that the client needs. */
export interface DescribedOperation {
  operationId: string
  summary: string
  description: string
  parameters: { name?: string; in?: string; $ref?: string }[]
  requestBody?: { required: boolean; content: Record<string, object> }
  responses: Record<string, { description: string; content?: Record<string, object> }>
}

interface Slimmed {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, object> }
}

/** Keywords that do not change a type. */
const ignored = ['example', 'examples', 'format', 'pattern', 'x-error-codes', 'default']

/**
 * Returns the description without the parts that need no type of their own in the client: headers, examples, webhooks,
 * and errors, which all have one shape.
 */
export const slim = ({ paths, components, ...rest }: Slimmed): object => ({
  ...rest,
  webhooks: undefined,
  paths: mapValues(paths, (methods) => mapValues(methods, slimOperation)),
  components: { schemas: mapValues(components.schemas, withoutIgnored) },
})

const slimOperation = ({ operationId, parameters, requestBody, responses }: DescribedOperation): object => ({
  operationId,
  parameters: parameters.filter(({ $ref }) => $ref === undefined).map(withoutIgnored),
  ...(requestBody === undefined ? {} : { requestBody: slimContent(requestBody) }),
  responses: mapValues(
    Object.fromEntries(Object.entries(responses).filter(([status]) => status.startsWith('2'))),
    slimContent,
  ),
})

/** Keeps only JSON, except for an operation that has no JSON. */
function slimContent({ content = {}, ...rest }: { content?: Record<string, object>; headers?: unknown }) {
  const json = content['application/json']
  const kept = json === undefined ? content : { 'application/json': json }
  return { ...rest, headers: undefined, content: mapValues(kept, withoutIgnored) }
}

function withoutIgnored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIgnored)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([word]) => !ignored.includes(word))
      // The words under `properties` are names of fields.
      .map(([word, each]) => [
        word,
        word === 'properties' ? mapValues(each as object, withoutIgnored) : withoutIgnored(each),
      ]),
  )
}

const mapValues = <T>(values: Record<string, T> | object, change: (value: T) => unknown): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value as T)]))

/** Returns the table of operations as TypeScript, with the description of each as its comment. */
export function tableOf(paths: Record<string, Record<string, DescribedOperation>>): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => rowOf(method.toUpperCase(), path, operation)),
  )
  return `{\n${rows.join('\n')}\n}`
}

function rowOf(method: string, path: string, operation: DescribedOperation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const query = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  const row = {
    method,
    path,
    ...(method !== 'GET' && query.length > 0 ? { query } : {}),
    ...(requestBody === undefined ? {} : { hasBody: true }),
    ...(responses['200'] && !responses['200'].content?.['application/json'] ? { isFile: true } : {}),
  }
  refuseCollisions(operationId, path, query, requestBody)
  const lines = `${summary}.\n\n${description}`.split('\n').map((line) => ` * ${line}`.trimEnd())
  return `/**\n${lines.join('\n')}\n */\n${operationId}: ${JSON.stringify(row)},`
}

/** The client takes all fields of an operation in one object, so their names must differ. */
function refuseCollisions(
  operationId: string,
  path: string,
  query: unknown[],
  requestBody: DescribedOperation['requestBody'],
): void {
  const { schema } = (requestBody?.content['application/json'] ?? {}) as { schema?: { properties?: object } }
  const names = [...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name), ...query]
  const all = [...names, ...Object.keys(schema?.properties ?? {})]
  if (new Set(all).size < all.length) throw new Error(`${operationId} has two fields with the same name`)
}
