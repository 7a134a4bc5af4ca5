import { createIntent, recordRecentSuccess, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { logEvents, runReplays, storeDeliveries } from '../support/replays.ts'
import { withAnotherKey, withServiceAndMerchant } from '../support/service.ts'
import { withAdmin } from './admin.ts'
import { readable, signedIn, withStaff } from './staff.ts'

describe('A staff-initiated replay of events', () => {
  const { service, merchant } = withServiceAndMerchant()
  const cli = withAdmin(service)
  const endpointServer = withEndpointServer()
  let endpointId: string
  const support = withStaff(service, 'support')
  before(async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: { outbox: [] } })
    endpointId = (await subscribe(service, merchant, endpointServer.url)).id
    await recordRecentSuccess(service, endpointId)
    const now = service.clock.now().getTime()
    const logged = Array.from({ length: 12 }, (_, index) => ({
      event: 'payment.created' as const,
      at: new Date(now - (index + 1) * 60_000),
      state: index < 4 ? ('DELIVERED' as const) : ('DEAD' as const),
    }))
    const ids = await logEvents(service, merchant, referenceNumber, logged)
    await storeDeliveries(service, { _id: endpointId, url: endpointServer.url }, ids, logged)
  })

  it('shows the number of events before you confirm, then its progress, and can be cancelled', async () => {
    const page = `/admin/endpoints/${endpointId}`
    const period = { from: '2026-01-01', to: '', event: 'payment.created' }
    const selection = { ...period, deliveries: 'undelivered' }
    const { text } = await support.get(`${page}/replay?${new URLSearchParams(selection).toString()}`)
    expect(readable(text)).to.include('Sandbox events in this period: 12, not delivered: 8')
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const { id: ofLive } = await subscribe(service, live, endpointServer.url, ['payment.created'])
    const livePage = await support.read(`/admin/endpoints/${ofLive}/replay`)
    expect(livePage).to.include('Live events in this period: 0')
    expect(await support.read(`/admin/endpoints/${ofLive}`)).to.include(' live active ')
    const { location } = await support.act(`${page}/replay`, selection)
    expect(await support.read(String(location))).to.include('RUNNING Cancel 0 of 12')
    const again = await support.act(`${page}/replay`, selection)
    expect(again.status).to.equal(400)
    expect(readable(again.text)).to.include('A replay to this endpoint is already running')
    await runReplays(service.deps)
    expect(endpointServer.received).to.have.length(8)
    expect(await support.read(page)).to.include('DONE 12 of 12: 8 re-queued, 0 created, 4 skipped')
    await support.act(`${page}/replay`, selection)
    const { _id } = await service.deps.Replay.findOne({ endpointId, status: 'RUNNING' }).orFail().lean()
    await support.act(`${page}/replays/${_id}/cancel`, {})
    expect(await support.read(page)).to.include('CANCELLED 0 of 12')
    const viewer = await signedIn(service, 'viewer')
    expect((await viewer.act(`${page}/replays/${_id}/cancel`, {})).status).to.equal(403)
    await service.deps.Endpoint.updateOne({ _id: endpointId }, { $set: { active: false } })
    const disabled = await support.get(`${page}/replay`)
    expect(readable(disabled.text)).to.include('Once the merchant has enabled it, replay the events.')
    await service.deps.Endpoint.updateOne({ _id: endpointId }, { $set: { active: true } })
  })

  it('can be started, followed, listed and cancelled on the command line', async () => {
    const replay = (...args: string[]) => cli.done('deliveries', 'replay', '--endpoint', endpointId, ...args)
    const from = ['--from', '2026-01-01', '--events', 'payment.created']
    expect(await replay(...from, '--dry-run')).to.include({ total: 12, undelivered: 0, sandbox: true })
    const workers = service.startWorkers()
    const done = await replay(...from, '--only-undelivered', '--follow')
    await workers.close()
    expect(done).to.include({ status: 'DONE', total: 12, requeued: 0, skipped: 12 })
    const { id } = (await replay(...from)) as { id: string }
    expect(await cli.done('deliveries', 'cancel-replay', id)).to.include({ status: 'CANCELLED' })
    const { items } = await cli.done('deliveries', 'replays', '--endpoint', endpointId)
    const listed = items as unknown as { id: string }[]
    expect(listed.slice(0, 2).map((each) => each.id)).to.deep.equal([id, done.id])
    const refused = (...args: string[]) => cli.here('deliveries', 'replay', '--endpoint', endpointId, ...args)
    const stderr = 'from must not be later than to, or in the future.\n'
    expect(await refused('--from', '2100-01-01')).to.deep.include({ exitCode: 1, stderr })
    expect((await refused(...from.slice(0, 2), '--events', 'x')).stderr).to.include('Unknown: x.')
  })
})
