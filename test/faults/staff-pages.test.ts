import { expect } from 'chai'
import { type Server, startMongo } from '../../dev/servers.ts'
import { hire, signedIn, visit } from '../admin/staff.ts'
import { createIntent } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'
import { until } from '../support/until.ts'

describe('The pages without MongoDB', () => {
  let mongo: Server
  let house: House
  before(async () => {
    mongo = await startMongo()
    house = await openHouse({ MONGODB_URL: mongo.url })
  })
  after(async () => {
    await mongo.kill('SIGCONT')
    await house.close()
    await mongo.stop()
  })

  it('say within 10 s that they are not available, and are there again with it', async () => {
    const merchant = await house.merchant()
    const path = `/p/${(await createIntent(house, merchant)).shortCode}`
    const form = /name="form" value="([^"]+)"/.exec((await visit(house).get(path)).text)?.[1] ?? ''
    const [viewer, account] = [await signedIn(house, 'viewer'), await hire(house, 'support')]
    await mongo.kill('SIGSTOP')
    const startedAt = performance.now()
    const answers = await Promise.all([
      viewer.get('/admin/audit'),
      viewer.get('/admin/queues'),
      visit(house).post('/admin/sign-in', account),
      visit(house).get(`${path}?lang=en`),
      visit(house).get(`${path}/status?lang=en`),
      visit(house).post(`${path}?lang=en`, { form, phone: '22000001', pin: '1234' }),
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
    expect((await visit(house).get('/admin/sign-in')).status).to.equal(200)
    await mongo.kill('SIGCONT')
    await until('the payment', async () => {
      const { status } = await visit(house).post(path, { form, phone: '22000001', pin: '1234' })
      return status === 303
    })
    await until('the page', async () => (await viewer.get('/admin/audit')).status === 200)
    await until('the sign-in', async () => {
      return (await visit(house).post('/admin/sign-in', account)).status === 303
    })
  })
})
