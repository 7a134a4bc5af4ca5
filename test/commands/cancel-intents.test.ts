import { randomInt } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { Queue } from 'bullmq'
import type { Intent } from '../../src/intents/intent.ts'
import { newId, newReferenceNumber, shortCodeCount, toShortCode } from '../../src/platform/ids.ts'
import { withAdmin } from '../admin/admin.ts'
import { breaks, excuse } from '../invariants/expect-invariants.ts'
import { createIntent, deliveriesOf, readIntent, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { outboxEventsOf, storedIntent } from '../support/pay.ts'
import { asMerchant, withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

describe('npm run admin -- intents cancel', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const cli = withAdmin(service)
  const endpointServer = withEndpointServer()
  const command = (mode: 'test' | 'live', ...more: string[]) => {
    const which = ['--business', merchant.businessId, '--mode', mode]
    return ['intents', 'cancel', ...which, '--json', ...more]
  }
  const cancel = async (mode: 'test' | 'live', ...more: string[]): Promise<unknown> =>
    cli.done(...command(mode, ...more))
  const countOf = (status: Intent['status'], { businessId } = merchant) =>
    service.deps.Intent.countDocuments({ businessId, status })
  const linesOf = ({ businessId } = merchant) =>
    service.deps.AuditEvent.find({ businessId, act: 'intents.cancelled' }).lean()
  async function pending(count: number): Promise<void> {
    const { referenceNumber } = await createIntent(service, merchant)
    const { requestKey: _requestKey, ...like } = await storedIntent(service, referenceNumber)
    const copies = Array.from({ length: count - 1 }, (_, index): Intent => {
      const _id = newId()
      return {
        ...like,
        _id,
        codeKey: `test:${_id}`,
        referenceNumber: newReferenceNumber(),
        shortCode: toShortCode(randomInt(shortCodeCount)),
        createdAt: new Date(like.createdAt.getTime() - (index >> 1)),
        outbox: [],
      }
    })
    excuse(copies.map((copy) => copy.referenceNumber))
    if (copies.length > 0) await service.deps.Intent.collection.insertMany(copies as never[])
  }

  it("cancels a business's PENDING intents in one environment", async () => {
    const live = asMerchant(merchant.businessId, await service.key(merchant.businessId, { mode: 'live' }))
    const other = await service.merchant()
    const [first, second] = [await createIntent(service, merchant), await createIntent(service, merchant)]
    const paid = await createIntent(service, merchant)
    const simulate = service.http.post(`/api/v1/dev/intents/${paid.referenceNumber}/simulate-payment`)
    await simulate.set(merchant.write()).expect(200)
    const untouched = [await createIntent(service, live), await createIntent(service, other)]
    expect(await cancel('test', '--dry-run')).to.deep.equal({ matched: 2, cancelled: 0, skipped: {} })
    expect(await countOf('PENDING')).to.equal(3)
    expect(await cancel('test')).to.deep.equal({ matched: 2, cancelled: 2, skipped: {} })
    for (const { referenceNumber } of [first, second]) {
      const read = await readIntent(service, merchant, referenceNumber)
      const change = { status: 'CANCELLED', cancellationReason: 'cancelled_by_operator', code: null }
      expect(read).to.include(change)
      const intent = await storedIntent(service, referenceNumber)
      expect(outboxEventsOf(intent)).to.deep.equal(['payment.created', 'payment.cancelled'])
      expect(intent.codeReusableAt).to.deep.equal(new Date(intent.updatedAt.getTime() + 15 * 60_000))
    }
    for (const { referenceNumber } of untouched)
      expect((await storedIntent(service, referenceNumber)).status).to.equal('PENDING')
    const page = await fetch(`${service.origin}/p/${first.shortCode}?lang=en`)
    expect(await page.text()).to.include('This payment request was cancelled.')
    const [line, ...more] = await linesOf()
    expect(more).to.deep.equal([])
    const actor = { kind: 'operator', name: userInfo().username, from: hostname() }
    expect(line).to.deep.include({ actor, subject: merchant.businessId, before: null })
    expect(line?.after).to.include({ mode: 'test', pending: 2 })
    expect((await storedIntent(service, first.referenceNumber)).marks[0]?.key).to.equal(line?._id)
    expect(await cancel('live')).to.include({ cancelled: 1 })
  })

  it('cancels only intents created before the given time', async () => {
    const old = await createIntent(service, merchant)
    const fresh = await createIntent(service, merchant)
    expect(await cancel('test', '--created-before', fresh.createdAt)).to.include({ matched: 1, cancelled: 1 })
    expect((await storedIntent(service, old.referenceNumber)).status).to.equal('CANCELLED')
    expect((await storedIntent(service, fresh.referenceNumber)).status).to.equal('PENDING')
  })

  it('skips intents that are being paid or have expired, and reports them', async () => {
    const [paying, over] = [await createIntent(service, merchant), await createIntent(service, merchant)]
    breaks(service, 'intent status', paying.referenceNumber, over.referenceNumber)
    const soon = new Date(Date.now() + 3_600_000)
    const hold = { id: 'p', wallet: 'sandbox', amount: 50_000, payerPhone: '22 ** ** 01', writeId: 'w' }
    const set = ({ referenceNumber }: { referenceNumber: string }, fields: object) =>
      service.deps.Intent.updateOne({ referenceNumber }, { $set: fields })
    await set(paying, { hold: { ...hold, startedAt: soon, validUntil: soon, queryAt: soon } })
    await set(over, { expiresAt: new Date(Date.now() - 1000) })
    const { exitCode, stdout, stderr } = await cli.admin(command('test'))
    const skipped = { 'being-paid': 1, ended: 1 }
    expect(JSON.parse(stdout)).to.deep.equal({ matched: 2, cancelled: 0, skipped })
    expect(exitCode).to.equal(1)
    expect(stderr).to.equal('Not cancelled, because a customer is paying: 1. Run the command again.\n')
    expect(await countOf('PENDING')).to.equal(2)
    expect(await linesOf()).to.deep.equal([])
  })

  it('cancels at most 100 intents per second, and wakes the relay if Redis is reachable', async () => {
    await pending(150)
    const { redisUrl, queuePrefix } = service.deps.config
    const beganAt = performance.now()
    const { exitCode } = await cli.admin(command('test'), { REDIS_URL: redisUrl, QUEUE_PREFIX: queuePrefix })
    expect(exitCode).to.equal(0)
    expect(performance.now() - beganAt).to.be.greaterThan(1500)
    const intents = await service.deps.Intent.find({ businessId: merchant.businessId }).lean()
    const queue = new Queue('outbox-relay', { connection: { url: redisUrl }, prefix: queuePrefix })
    const woken = (await queue.getJobs(['waiting'])).flatMap(({ data }) => data.intentIds as string[])
    await queue.close()
    expect(woken).to.include.members(intents.map(({ _id }) => _id))
  })

  it('cancels each intent exactly once, even if the command is killed, stopped or run twice in parallel', async () => {
    await subscribe(service, merchant, endpointServer.url, ['payment.cancelled'])
    service.startWorkers()
    const count = 400
    await pending(count)
    for (const [signal, from, code] of [
      ['SIGKILL', 1, null],
      ['SIGINT', 151, 1],
    ] as const) {
      const run = cli.start(command('test'))
      await waitFor('a batch is cancelled', async () => (await countOf('CANCELLED')) >= from)
      run.kill(signal)
      expect((await run.ended)[0]).to.equal(code)
      expect(await countOf('PENDING')).to.be.greaterThan(0)
    }
    const left = await countOf('PENDING')
    const both = (await Promise.all([cancel('test'), cancel('test')])) as { cancelled: number }[]
    expect(both.reduce((sum, { cancelled }) => sum + cancelled, 0)).to.equal(left)
    expect(await countOf('CANCELLED')).to.equal(count)
    await endpointServer.atLeast(count, 40_000)
    const delivered = new Set(endpointServer.received.map(({ json }) => json.data.reference_number))
    expect([endpointServer.received.length, delivered.size]).to.deep.equal([count, count])
    expect(await deliveriesOf(service, merchant)).to.have.lengthOf(count)
  })

  it('reports an invalid argument and changes nothing', async () => {
    await createIntent(service, merchant)
    const wrong: [about: RegExp, ...args: string[]][] = [
      [/There is no business unknown/, '--business', 'unknown', '--mode', 'test'],
      [/--mode/, '--business', merchant.businessId],
      [/--business/, '--mode', 'test'],
      [/ISO 8601/, '--business', merchant.businessId, '--mode', 'test', '--created-before', 'yesterday'],
    ]
    for (const [about, ...args] of wrong) {
      const { exitCode, stdout, stderr } = await cli.admin(['intents', 'cancel', ...args])
      expect([exitCode, stdout]).to.deep.equal([1, ''])
      expect(stderr).to.match(about)
    }
    expect(await countOf('PENDING')).to.equal(1)
  })
})
