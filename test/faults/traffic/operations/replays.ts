import { act, type Context, read, write } from '../context.ts'
import { dataOf, isGood } from '../request-spec.ts'
import { remember } from '../world.ts'
import { anyEndpoint } from './endpoints.ts'

/** Replays the events of the last seconds to an endpoint, or only counts them. */
export async function startReplay(context: Context): Promise<void> {
  const { chance, tenant, world } = context
  const id = anyEndpoint(context)
  if (id === null) return
  const path = `/webhooks/endpoints/${id}/replay`
  const before = (seconds: number): string => new Date(world.now() - seconds * 1000).toISOString()
  const isTyped = chance.is(0.3)
  const json = {
    from: before(chance.whole(5, 40)),
    ...(chance.is(0.3) && { to: before(chance.whole(0, 4)) }),
    ...(chance.is(0.4) && { onlyUndelivered: true }),
    ...(isTyped && { events: ['payment.confirmed'] }),
  }
  const more = { other: { ...json, from: before(41) }, expects: isTyped ? ['INVALID_WEBHOOK_EVENT'] : [] }
  if (chance.is(0.2)) await write(context, 'replay.dry', path, { json: { ...json, dryRun: true } }, more)
  const call = await write(context, 'replay', path, { json }, more)
  if (call !== null && isGood(call)) remember(tenant.replays, `${path}s/${dataOf<{ id: string }>(call).id}`)
}

/** Reads a replay, and sometimes cancels it. */
export async function followReplay(context: Context): Promise<void> {
  const { chance, tenant } = context
  const path = tenant.replays.at(-1)
  if (path === undefined) return
  if (chance.is(0.4)) await act(context, 'replay.cancel', `${path}/cancel`)
  await read(context, 'replay.read', path)
  await read(context, 'replay.list', path.slice(0, path.lastIndexOf('/')))
}
