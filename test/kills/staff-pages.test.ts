import { expect } from 'chai'
import { type Server, startMongo } from '../../dev/servers.ts'
import { hire, signedIn, visit } from '../admin/staff.ts'
import { createIntent } from '../support/acts.ts'
import { openService, type Service } from '../support/service.ts'
import { until } from '../support/until.ts'

describe('The pages without MongoDB', () => {
  let mongo: Server
  let service: Service
  before(async () => {
    mongo = await startMongo()
    service = await openService({ MONGODB_URL: mongo.url })
  })
  after(async () => {
    await mongo.kill('SIGCONT')
    await service.close()
    await mongo.stop()
  })

  it('say within 10 s that they are not available, and are there again with it', async () => {
    const merchant = await service.merchant()
    const path = `/p/${(await createIntent(service, merchant)).shortCode}`
    const form = /name="form" value="([^"]+)"/.exec((await visit(service).get(path)).text)?.[1] ?? ''
    const [viewer, account] = [await signedIn(service, 'viewer'), await hire(service, 'support')]
    await mongo.kill('SIGSTOP')
    const startedAt = performance.now()
    const answers = await Promise.all([
      viewer.get('/admin/audit'),
      viewer.get('/admin/queues'),
      visit(service).post('/admin/sign-in', account),
      visit(service).get(`${path}?lang=en`),
      visit(service).get(`${path}/status?lang=en`),
      visit(service).post(`${path}?lang=en`, { form, phone: '22000001', pin: '1234' }),
    ])
    expect(performance.now() - startedAt).to.be.lessThan(10_000)
    for (const { status, headers, text } of answers) {
      expect(status).to.equal(503)
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(headers.has('retry-after')).to.equal(true)
      expect(text)
        .to.match(/(Try|Open the page) again in a few seconds/)
        .and.not.match(/\n\s+at /)
    }
    // Who is not signed in needs no database to be told so.
    expect((await visit(service).get('/admin/sign-in')).status).to.equal(200)
    await mongo.kill('SIGCONT')
    await until('the payment', async () => {
      const { status } = await visit(service).post(path, { form, phone: '22000001', pin: '1234' })
      return status === 303
    })
    await until('the page', async () => (await viewer.get('/admin/audit')).status === 200)
    await until('the sign-in', async () => {
      return (await visit(service).post('/admin/sign-in', account)).status === 303
    })
  })
})
