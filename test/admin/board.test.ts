import { appRoutes } from '@bull-board/api/dist/routes.js'
import { jobIdOf, newDeliveryJob } from '../../src/webhooks/deliveries/delivery.ts'
import { signingSecretField } from '../../src/webhooks/endpoints/stored-secrets.ts'
import { storedBody, storedDelivery } from '../support/actions.ts'
import { dumpKeys } from '../support/redis-keys.ts'
import { waitFor } from '../support/wait-for.ts'
import { callBoard } from './board-call.ts'
import { mainQueue, withBoard } from './open-board.ts'
import { visit } from './staff.ts'

/** The only routes that may be open. A new version's routes must be refused until they are listed here. */
const reads = `
  /api/redis/stats /api/queues /api/job-schedulers /api/queues/:queueName/metrics
  /api/queues/:queueName/default-job-options /api/queues/:queueName/workers
  /api/queues/:queueName/rate-limit /api/queues/:queueName/job-data-schema
  /api/queues/:queueName/:jobId/logs /api/queues/:queueName/:jobId/flow /api/queues/:queueName/:jobId
`
  .trim()
  .split(/\s+/)
const acts = ['put /api/queues/:queueName/:jobId/retry', 'put /api/queues/:queueName/retry/:queueStatus']

/** Off in Bull Board's options, because they query the Redis server itself. */
const disabledReads = new Set(['/api/redis/stats', '/api/queues/:queueName/workers'])

function requestFor(route: string, job: string): [method: string, path: string] {
  const [method = '', path = ''] = route.split(' ')
  const names = { queueName: 'webhook-delivery', jobId: job, queueStatus: 'failed', schedulerId: 'any' }
  return [method, path.replaceAll(/:(\w+)/g, (_, name: keyof typeof names) => names[name])]
}

describe('Bull Board', () => {
  const board = withBoard()

  const registered = appRoutes.api.flatMap(({ method, route }) =>
    [method].flat().flatMap((each) => [route].flat().map((path) => `${each} ${path}`)),
  )
  const allowed = [...reads.map((path) => `get ${path}`), ...acts]

  const call = (who: 'support' | 'viewer', method: string, path: string) =>
    callBoard(board.service, board[who], method, path)

  it("rejects every action except Retry, whatever the user's role", async () => {
    const job = jobIdOf(await board.deadDelivery())
    const { redisUrl, queuePrefix } = board.service.deps.config
    const inRedis = [job, 'meta'].map((key) => `${queuePrefix}:webhook-delivery:${key}`)
    const dump = () => Promise.all(inRedis.map((key) => dumpKeys(redisUrl, key)))
    const before = await dump()
    const refused = registered.filter((route) => !allowed.includes(route))
    expect(refused.length)
      .to.equal(registered.length - allowed.length)
      .and.be.greaterThan(20)
    const odd = ['delete /api/queues/:queueName/:jobId', 'post /', 'patch /static/own.css', 'put /api/queues']
    await Promise.all(
      [...refused, ...odd].flatMap((route) =>
        (route === odd[0] ? (['support', 'viewer'] as const) : (['support'] as const)).map(async (who) => {
          const { status, body } = await call(who, ...requestFor(route, job))
          expect([route, status, body.error]).to.deep.equal([route, 403, 'Refused'])
        }),
      ),
    )
    expect(await dump()).to.deep.equal(before)
  })

  it("shows everything to viewers but doesn't let them retry jobs", async () => {
    const delivery = await board.deadDelivery()
    for (const path of reads) {
      const { status } = await call('viewer', ...requestFor(`get ${path}`, jobIdOf(delivery)))
      expect([path, status]).to.deep.equal([path, disabledReads.has(path) ? 403 : 200])
    }
    for (const route of acts) {
      const { status } = await call('viewer', ...requestFor(route, jobIdOf(delivery)))
      expect([route, status]).to.deep.equal([route, 403])
    }
    expect(await storedDelivery(board.service, delivery)).to.deep.equal(delivery)
  })

  it('retries only dead deliveries', async () => {
    for (const [path, expected] of [
      ['/api/queues/maintenance/x/retry', 403],
      ['/api/queues/none/x/retry', 403],
      [`${mainQueue}/retry/completed`, 403],
      [`${mainQueue}/nothing/retry`, 404],
    ] as const)
      expect([path, (await call('support', 'put', path)).status]).to.deep.equal([path, expected])
  })

  it("shows a job's event, reference and host, but no secret or body", async () => {
    const delivery = await board.deadDelivery(true)
    const { text, body } = await call('viewer', 'get', `${mainQueue}/${jobIdOf(delivery)}`)
    const { referenceNumber: reference } = delivery
    const { host } = board.endpointServer
    expect(body.job).to.deep.include({
      name: `payment.created · ${reference} · ${host} · 8 of 8 attempts failed · status 500`,
      stacktrace: ['attempt 8: status 500'],
      externalUrl: { href: `/admin/deliveries/${delivery._id}`, displayText: 'Delivery' },
    })
    expect(body.job.data).to.deep.equal({ ref: reference, host, failed: '8 of 8', error: 'status 500' })
    const { Endpoint, secrets } = board.service.deps
    const { secret: sealed } = await Endpoint.findById(delivery.endpointId).orFail().lean()
    // JSON escapes the quotes inside a text.
    const withinJson = JSON.stringify(await storedBody(board.service, delivery)).slice(1, -1)
    for (const hidden of [
      withinJson,
      sealed,
      secrets.decrypt(sealed, signingSecretField(delivery.endpointId)),
    ])
      expect(text).to.not.include(hidden)
  })

  it('shows how often and why a waiting delivery has failed and when the next attempt is due', async () => {
    const { service } = board
    const dead = await board.deadDelivery()
    const nextAttemptAt = new Date('2199-12-31T23:59:58.765Z')
    const waiting = { ...dead, attempts: 3, nextAttemptAt, lastAttempt: dead.attemptLog[2] }
    service.deps.enqueue('webhook-delivery', [newDeliveryJob(waiting, service.clock.now())])
    const job = await waitFor('it waits', async () => {
      const { status, body } = await call('viewer', 'get', `${mainQueue}/${jobIdOf(waiting)}`)
      return status === 200 && body.job
    })
    const about = `payment.created · ${dead.referenceNumber} · ${board.endpointServer.host}`
    const how = '3 of 8 attempts failed · status 500 · next attempt at 2199-12-31 23:59:58 UTC'
    expect(job).to.have.property('name', `${about} · ${how}`)
  })

  it("loads nothing from other hosts, and runs only the service's own scripts", async () => {
    const { status, headers, text } = await call('viewer', 'get', '')
    expect(status).to.equal(200)
    expect(text).to.include('<title>Payment intents</title>').and.include('static/own.css')
    expect(text).to.not.match(/(?:href|src)="https?:/)
    expect(headers.get('content-security-policy')).to.include("script-src 'self';")
    expect(headers.get('x-powered-by')).to.equal(null)
  })

  it('responds to an invalid request with an error message, never with a stack trace', async () => {
    for (const [path, expected] of [
      ['/api/queues?jobsPerPage=100000', 400],
      ['/api/queues?activeQueue=%25E0%25A4%25A', 400],
      ['/api/queues/%E0%A4%A/x', 400],
      ['/api/queues?status=%00', 400],
      ['/api/queues/none/x', 404],
      [`${mainQueue}/none`, 404],
    ] as const) {
      const { status, text, body } = await call('viewer', 'get', path)
      expect([path, status]).to.deep.equal([path, expected])
      expect(body).to.have.property('error')
      expect(text).to.not.match(/node_modules|\.ts:/)
    }
    for (const [method, path] of Object.entries({ get: '/api/queues', put: `${mainQueue}/retry/failed` })) {
      const { status, body } = await callBoard(board.service, visit(board.service), method, path)
      expect([status, body.error]).to.deep.equal([403, 'You are signed out'])
    }
  })
})
