import type { LoggedEvent, Payments } from '../../clients/typescript/payments.ts'
import type { ListenCommand } from '../arguments.ts'
import { forwardEvent } from './forward.ts'
import { introduction, lineOf } from './lines.ts'
import type { WebhookSecret } from './webhook-secret.ts'

export interface ListenDeps {
  payments: Payments
  /** Prints to stdout. */
  print(text: string): void
  /** Prints to stderr. */
  warn(text: string): void
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

/**
 * Shows and forwards events one after the other, in the order of the event log. Returns when the signal is aborted.
 * @throws {Error} if the service rejects a request
 */
export async function listen(
  deps: ListenDeps,
  command: ListenCommand,
  signing: WebhookSecret,
): Promise<void> {
  const { payments, print, warn, signal } = deps
  const { types, replayLast, json } = command
  const endless = { signal, maxRetries: Number.POSITIVE_INFINITY }
  // The feed is followed from here, so no event is missed while the last events are read.
  const { next: after } = await payments.readEventFeed({ after: 'latest' }, endless)
  const replayed: LoggedEvent[] = []
  // The log can be filtered by only one type.
  const [type, ...others] = types
  const filter = type === undefined || others.length > 0 ? {} : { type }
  const isWanted = (event: LoggedEvent) => types.length === 0 || types.includes(event.type)
  if (replayLast > 0)
    for await (const event of payments.listAll('listEvents', filter, endless)) {
      if (isWanted(event)) replayed.unshift(event)
      if (replayed.length === replayLast) break
    }
  const headerBrand = command.forward === null ? '' : (command.headerBrand ?? (await brandOf(command.url)))
  for (const line of introduction(command, signing)) warn(line)

  let lastProblem: string | null = null
  async function show(event: LoggedEvent): Promise<void> {
    const body = JSON.stringify(event.body)
    const { forward: url, headers, insecure } = command
    const sent = { headerBrand, headers, insecure, event, secret: signing.secret, signal }
    const outcome = url === null ? null : await forwardEvent({ url, ...sent })
    if (signal.aborted) return
    if (json) print(body)
    ;(json ? warn : print)(lineOf(event, outcome, new Date()))
    const problem = outcome?.problem ?? null
    if (problem !== null && problem !== lastProblem)
      warn(`  ${problem}\n  To forward the last events again, restart with --replay-last N.`)
    lastProblem = problem
  }

  for (const event of replayed) await show(event)
  const shown = new Set(replayed.map(({ id }) => id))
  for await (const event of payments.followEvents({ after, ...filter }, { signal }))
    if (!shown.has(event.id) && isWanted(event)) await show(event)
}

/** The word in the names of the service's webhook headers, from its API description. */
async function brandOf(url: string): Promise<string> {
  const response = await fetch(`${url}/openapi.json`, { redirect: 'manual' }).catch(() => undefined)
  const description = response?.ok ? await response.text() : ''
  const brand = /"X-([A-Za-z0-9]+)-Signature"/.exec(description)?.[1]
  if (brand !== undefined) return brand
  throw new Error('The service does not say how it names its webhook headers. Use --header-brand.')
}
