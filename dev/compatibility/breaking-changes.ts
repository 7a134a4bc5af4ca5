import { apiDiff, type Diff } from 'api-smart-diff'

/** The compared parts of an OpenAPI document. References are resolved, so a changed schema shows at each use. */
export interface Description {
  openapi: string
  paths: Record<string, Record<string, object>>
  webhooks: Record<string, { post: Webhook }>
  components: object
}

interface Webhook {
  parameters: readonly { name: string }[]
  requestBody: { content: object }
}

/**
 * Returns the changes from `before` to `after` that can break a program of a merchant, one line for each. A change that
 * cannot be classified is included.
 */
export function breakingChanges(before: Description, after: Description): string[] {
  // The comparison changes the documents that it gets.
  const changes = apiDiff(structuredClone(comparable(before)), structuredClone(comparable(after)))
  return [...new Set(changes.filter(isBreaking).map(inWords))]
}

/**
 * Returns the document in the form that the comparison understands. It does not know webhooks, so each webhook becomes
 * an operation whose response has the webhook's headers and body. In both, the service is the sender.
 */
const comparable = ({ openapi, paths, webhooks, components }: Description): object => ({
  openapi,
  info: { title: '', version: '' },
  paths: {
    ...paths,
    ...Object.fromEntries(
      Object.entries(webhooks).map(([event, { post }]) => [`${webhook}${event}`, { get: sent(post) }]),
    ),
  },
  components,
})

const webhook = '/webhook '

const sent = ({ parameters, requestBody }: Webhook): object => ({
  responses: {
    200: {
      headers: Object.fromEntries(parameters.map((header) => [header.name, header])),
      content: requestBody.content,
    },
  },
})

function isBreaking({ type, action, path, before, after }: Diff): boolean {
  const [root, , , part] = path
  const [group, key] = path.slice(-2)
  if (root !== 'paths') return false
  const isSent = part === 'responses'
  // Merchants must expect new values, such as the names of new events, and therefore longer lists of values.
  if (isSent && ((action === 'add' && group === 'enum') || key === 'maxItems')) return false
  // The examples of a response name its error codes.
  if (group === 'examples') return action === 'remove'
  if (path.some((each) => each === 'example' || String(each).startsWith('x-'))) return false
  if (key === 'type') return isSent ? !isWithin(after, before) : !isWithin(before, after)
  if (isSent && key === 'const') return true
  if (part === 'requestBody' && key === 'additionalProperties') return after === false
  // The service ignores most unknown fields of a body, so a removed field would be ignored without an error.
  if (part === 'requestBody' && group === 'properties' && action === 'remove') return true
  return type === 'breaking' || type === 'unclassified'
}

const isWithin = (types: string | string[], wider: string | string[]): boolean =>
  [types].flat().every((type) => [wider].flat().includes(type))

/** The parts of a path that say nothing about where a change is. */
const frames = new Set(['content', 'application/json', 'schema', 'properties'])

/** Returns a line such as "POST /dev/intents: [Removed] property `label` in Request Body". */
function inWords({ path, description = '', action }: Diff): string {
  const [, url = '', method = '', ...rest] = path.map(String)
  // The comparison describes a schema only where it occurs first, and leaves out words elsewhere.
  const isWhole = /^\[\w+\] [^ ]/.test(description)
  const what = isWhole ? description : `[${action}] ${rest.filter((part) => !frames.has(part)).join('.')}`
  if (!url.startsWith(webhook)) return `${method.toUpperCase()} ${url}: ${what}`
  return `${url.slice(1)}: ${what.replace(/ in Response 200.*|responses\.200\.|GET \/webhook /, '')}`
}
