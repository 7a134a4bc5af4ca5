import { expect } from 'chai'
import { hiddenFields, type Page } from '../admin/staff.ts'
import { enter, type PersonVisitor, visitAsPerson } from '../people/member.ts'
import { changeAsOperator, subscribe } from '../support/actions.ts'
import { deadDelivery, makeAllAttempts, shortRetryDelays } from '../support/dead-deliveries.ts'
import { isSignedWith, withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { runReplays } from '../support/replays.ts'
import { asMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { newBusiness, submit } from './member-forms.ts'

const secretsOn = ({ text }: Page) => /<pre[^>]*>([0-9a-f]{64})<\/pre>/.exec(text)?.[1] ?? ''
const url = 'https://shop.example.com/hook'
const paid = { 'payment.confirmed': 'on' }

describe('The portal pages about webhooks', () => {
  const service = withService(shortRetryDelays)
  const server = withEndpointServerPerTest()
  let owner: PersonVisitor
  let base: string
  beforeEach(async () => {
    const businessId = await newBusiness(service)
    owner = await enter(service, businessId, 'owner')
    base = `/portal/${businessId}/test/webhooks`
  })
  const endpoints = () => service.deps.Endpoint.find({ businessId: owner.businessId }).lean()
  const create = async (target = url, fields: Record<string, string> = paid) => {
    const made = await submit(owner, `${base}/new`, { url: target, ...fields })
    const [, id = ''] = /endpoints\/([0-9a-f]{24})"/.exec(made.text) ?? []
    return { made, id, path: `${base}/endpoints/${id}` }
  }

  it('creates an endpoint once, and shows its secret only to the form that made it', async () => {
    const page = await owner.get(`${base}/new`)
    const fields = { ...hiddenFields(page.text), url, ...paid }
    const [first, second] = [await owner.post(`${base}/new`, fields), await owner.post(`${base}/new`, fields)]
    expect(first.status).to.equal(200)
    expect(secretsOn(first))
      .to.match(/^[0-9a-f]{64}$/)
      .and.equal(secretsOn(second))
    const [endpoint, ...others] = await endpoints()
    expect([endpoint?.url, endpoint?.events, others]).to.deep.equal([url, ['payment.confirmed'], []])
    for (const path of ['', `/endpoints/${endpoint?._id}`, `/endpoints/${endpoint?._id}/change`])
      expect((await owner.get(base + path)).text)
        .to.include(url)
        .and.not.include(secretsOn(first))
    const other = await enter(service, owner.businessId, 'owner')
    const own = hiddenFields((await other.get(`${base}/new`)).text)
    const repeated = await other.post(`${base}/new`, { ...fields, csrf: own.csrf ?? '' })
    expect(secretsOn(repeated)).to.not.equal(secretsOn(first))
  })

  it('explains what the API refuses, beside the field and in the language of the page', async () => {
    for (const wrong of ['http://shop.example.com', 'https://10.0.0.1/', 'https://shop.local/', 'x']) {
      const { made } = await create(wrong)
      expect([made.status, made.text.includes('id="url-fault"')]).to.deep.equal([400, true])
      expect(made.text).to.include(`value="${wrong}"`)
    }
    const { made } = await create(url, {})
    expect([made.status, made.text.includes('Choose at least one event')]).to.deep.equal([400, true])
    const page = await owner.get(`${base}/new`)
    const fields = { ...hiddenFields(page.text), url: 'x', ...paid }
    const french = await owner.post(`${base}/new`, fields, { 'Accept-Language': 'fr' })
    expect(french.text).to.include('Saisissez une adresse https publique')
    for (const each of [1, 2, 3, 4, 5]) await create(`${url}/${each}`)
    expect((await create(`${url}/6`)).made.text).to.include('can have 5 endpoints')
    expect(await endpoints()).to.have.length(5)
  })

  it('changes, disables and deletes an endpoint, and replaces its secret once', async () => {
    const { made, path, id } = await create()
    const changed = await submit(owner, `${path}/change`, {
      url: `${url}/2`,
      'order.new': 'on',
      'payment.failed': 'on',
      active: 'no',
    })
    expect(changed.location).to.equal(path)
    const [endpoint] = await endpoints()
    expect(endpoint).to.include({ url: `${url}/2`, active: false })
    expect(endpoint?.events).to.have.members(['order.new', 'payment.failed'])
    const fields = hiddenFields((await owner.get(`${path}/rotate`)).text)
    const [first, second] = [
      await owner.post(`${path}/rotate`, fields),
      await owner.post(`${path}/rotate`, fields),
    ]
    expect(secretsOn(first)).to.equal(secretsOn(second)).and.not.equal(secretsOn(made))
    expect((await endpoints())[0]?.previousSecrets).to.have.length(1)
    const again = await submit(owner, `${path}/rotate`)
    expect(secretsOn(again)).to.not.equal(secretsOn(first))
    const { csrf = '' } = hiddenFields((await owner.get(`${path}/change`)).text)
    expect((await owner.post(`${path}/delete`, { csrf, form: 'a' })).location).to.equal(base)
    expect((await owner.get(path)).status).to.equal(404)
    expect((await owner.get(base)).text).to.not.include(id)
  })

  it('sends a test event, and shows what came of it', async () => {
    service.allowHost(server.host)
    const { made, path } = await create(server.url)
    const sent = await submit(owner, `${path}/test`, { event: 'payment.confirmed' })
    expect(sent.text).to.include('accepted the test event').and.include('HTTP 200')
    const [received] = await server.atLeast(1)
    expect(received && isSignedWith(secretsOn(made), received)).to.equal(true)
    server.respondWith((res) => void res.writeHead(503).end())
    const failed = await submit(owner, `${path}/test`, { event: 'payment.confirmed' })
    expect(failed.text).to.include('The test event failed').and.include('HTTP 503')
  })

  it('re-sends a dead delivery, and warns until the endpoint works again', async () => {
    server.respondWith((res) => void res.writeHead(500).end('<b>not today</b>'))
    const merchant = asMerchant(owner.businessId, await service.key(owner.businessId))
    const { id } = await subscribe(service, merchant, server.url, ['payment.created'])
    const dead = await deadDelivery(service, merchant)
    const limits = base.replace('webhooks', 'limits')
    const banner = `${base}/endpoints/${id}`
    const hasBanner = async () => (await owner.get(limits)).text.includes(banner)
    await waitFor('the banner', hasBanner)
    const accountant = await enter(service, owner.businessId, 'accountant')
    expect((await accountant.get(limits)).text).to.not.include(banner)
    expect((await owner.get(`${base}/endpoints/${id}`)).text)
      .to.include('Failing')
      .and.include(dead._id)
    const lists = `${base}/endpoints/${id}?status=`
    expect((await owner.get(`${lists}DEAD`)).text).to.include(dead._id)
    expect((await owner.get(`${lists}DELIVERED`)).text).to.not.include(dead._id)

    const path = `${base}/deliveries/${dead._id}`
    const page = await owner.get(path)
    expect(page.text).to.include('Given up').and.include('&#60;b&#62;not today').and.not.include('<b>not')
    expect(await owner.read(path))
      .to.include('"event": "payment.created"')
      .and.include('HTTP 500')
    server.respondWith((res) => void res.end('thanks'))
    const fields = hiddenFields(page.text)
    for (const sent of [await owner.post(path, fields), await owner.post(path, fields)])
      expect(sent.text).to.include('It is being sent again')
    expect((await submit(owner, path)).text).to.include('due or in progress')
    await makeAllAttempts(service, dead)
    expect((await owner.get(path)).text)
      .to.include('9 of 9')
      .and.include('thanks')
      .and.not.include('Given up')
    expect(server.received).to.have.length(9)
    await waitFor('no banner', async () => !(await hasBanner()))
    for (const role of ['accountant', 'cashier'] as const) {
      const other = await enter(service, owner.businessId, role)
      expect((await other.get(path)).status).to.equal(403)
    }
    const stranger = await enter(service, await newBusiness(service), 'owner')
    const theirs = path.replace(owner.businessId, stranger.businessId)
    expect((await stranger.get(theirs)).status).to.equal(404)
    expect((await stranger.act(theirs, { form: 'x' })).status).to.equal(404)
    expect((await owner.get(path.replace('/test/', '/live/'))).status).to.equal(404)
    expect((await owner.post(path, { csrf: 'x' })).status).to.equal(403)
  })

  it('is only for owners of the business, in its environment, and with a form of their own', async () => {
    const { path } = await create()
    for (const role of ['accountant', 'cashier'] as const) {
      const other = await enter(service, owner.businessId, role)
      for (const each of ['', '/new', path.slice(base.length)])
        expect((await other.get(base + each)).status).to.equal(403)
      expect((await other.act(`${path}/delete`, { form: 'x' })).status).to.equal(403)
    }
    const stranger = await enter(service, await newBusiness(service), 'owner')
    expect((await stranger.get(path)).status).to.equal(404)
    const theirs = path.replace(owner.businessId, stranger.businessId)
    for (const each of ['', '/change', '/rotate', '/test', '/replays'])
      expect((await stranger.get(theirs + each)).status, each).to.equal(404)
    for (const each of ['/change', '/rotate', '/test', '/replays/new', '/delete'])
      expect(
        (await stranger.act(theirs + each, { form: 'x', url, ...paid, from: '2026-01-01' })).status,
      ).to.equal(404)
    expect((await owner.get(path.replace('/test/', '/live/'))).status).to.equal(404)
    for (const each of ['/change', '/rotate', '/test', '/replays/new', '/delete']) {
      const forged = await owner.post(path + each, { csrf: 'x', form: 'x', url, ...paid })
      expect(forged.status, each).to.equal(403)
    }
    expect(await visitAsPerson(service).get(path)).to.include({ status: 303 })
    expect((await endpoints()).map((each) => [each.url, each.deletedAt])).to.deep.equal([[url, null]])
  })

  it('can only be read while the business is suspended, and asks again who it is for secrets', async () => {
    const { path } = await create()
    service.clock.advance(11 * 60_000)
    for (const each of [`${path}/rotate`, `${base}/new`])
      expect((await owner.get(each)).location).to.include('/portal/confirm?to=')
    expect((await owner.act(`${path}/rotate`)).location).to.include('/portal/confirm?to=')
    await changeAsOperator(service, owner.businessId, { suspended: true })
    const page = await owner.get(path)
    expect(page.text).to.include(url).and.not.include('/rotate').and.not.include('/change')
    for (const each of ['/change', '/test', '/delete', '/replays/new', '/rotate'])
      expect((await owner.act(path + each, { form: 'x' })).status).to.equal(403)
  })

  it('starts, shows and cancels a replay, one at a time', async () => {
    const { path } = await create()
    const refused = await submit(owner, `${path}/replays/new`, { from: '', onlyUndelivered: 'on' })
    expect([refused.status, refused.text.includes('id="from-fault"')]).to.deep.equal([400, true])
    const page = await owner.get(`${path}/replays/new`)
    const fields = { ...hiddenFields(page.text), from: '2026-01-01' }
    const [first, second] = [
      await owner.post(`${path}/replays/new`, fields),
      await owner.post(`${path}/replays/new`, fields),
    ]
    expect(first.location).to.equal(second.location).and.include(`${path}/replays/`)
    const running = await submit(owner, `${path}/replays/new`, { from: '2026-01-01' })
    expect([running.status, running.text.includes('already running')]).to.deep.equal([429, true])
    const own = String(first.location)
    expect((await owner.get(own)).text)
      .to.include('Running')
      .and.include(`data-live="${own}/state"`)
    expect(JSON.parse((await owner.get(`${own}/state`)).text)).to.deep.equal({ state: 'RUNNING.0' })
    expect((await owner.act(own, { form: 'a' })).location).to.equal(own)
    expect((await owner.get(own)).text).to.include('Cancelled on request')
    const next = String((await submit(owner, `${path}/replays/new`, { from: '2026-01-01' })).location)
    await runReplays(service.deps)
    expect((await owner.get(next)).text)
      .to.include('Done')
      .and.not.include('data-live')
    expect((await owner.get(`${path}/replays`)).text).to.include(next)
  })
})
