import { startMongo } from '../../dev/servers.ts'
import { hire, signedIn, visit } from '../admin/staff.ts'
import { createIntent } from '../support/actions.ts'
import { deadlineMs } from '../support/machine.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'

describe('A staff or payment page during a MongoDB outage', () => {
  const mongo = withServer(startMongo)
  const service = withService(() => ({ MONGODB_URL: mongo.url }))
  after(() => mongo.kill('SIGCONT'))

  it('reports within 10 s that it is unavailable', async () => {
    const path = `/p/${(await createIntent(service, await service.merchant())).shortCode}`
    const form = /name="form" value="([^"]+)"/.exec((await visit(service).get(path)).text)?.[1] ?? ''
    const [viewer, account] = [await signedIn(service, 'viewer'), await hire(service, 'support')]
    await mongo.kill('SIGSTOP')
    const startedAt = performance.now()
    const responses = await Promise.all([
      viewer.get('/admin/audit'),
      viewer.get('/admin/queues'),
      visit(service).post('/admin/sign-in', account),
      visit(service).get(`${path}?lang=en`),
      visit(service).get(`${path}/status?lang=en`),
      visit(service).post(`${path}?lang=en`, { form, phone: '22000001', pin: '1234' }),
    ])
    expect(performance.now() - startedAt).to.be.lessThan(5_000 + deadlineMs(5_000))
    for (const { status, headers, text } of responses) {
      expect(status).to.equal(503)
      expect(headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(headers.has('retry-after')).to.equal(true)
      expect(text).to.match(/(Try|Open the page) again in a few seconds/)
      expect(text).to.not.match(/\n\s+at /)
    }
    // The sign-in page needs no database.
    expect((await visit(service).get('/admin/sign-in')).status).to.equal(200)
    await mongo.kill('SIGCONT')
    await waitFor('the payment', async () => {
      return (await visit(service).post(path, { form, phone: '22000001', pin: '1234' })).status === 303
    })
    await waitFor('the page', async () => (await viewer.get('/admin/audit')).status === 200)
    await waitFor('the sign-in', async () => {
      return (await visit(service).post('/admin/sign-in', account)).status === 303
    })
  })
})
