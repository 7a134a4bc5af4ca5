import { parse } from 'csv-parse/sync'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { newId } from '../../src/platform/ids.ts'
import { recordLog } from '../support/recorded-log.ts'
import { withService } from '../support/service.ts'
import { openAdmin } from './admin.ts'
import { nextPath, readable, signedIn, visit, withStaff } from './staff.ts'

describe('The audit trail', () => {
  const recorded = recordLog('error')
  const service = withService({}, recorded.log)
  const viewer = withStaff(service, 'viewer')
  let lines = 0
  const addLines = async (...all: Partial<AuditEvent>[]): Promise<AuditEvent[]> => {
    const added = all.map(
      (changes): AuditEvent => ({
        _id: newId(),
        at: new Date(Date.UTC(2020, 0, 1) + lines++ * 1000),
        actor: { kind: 'staff', name: 'moussa', from: '192.0.2.7' },
        reason: 'asked by phone',
        act: 'delivery.requeued',
        subject: `subject-${lines}`,
        businessId: 'business-1',
        before: { status: 'DEAD', nextAttemptAt: null },
        after: { status: 'RETRYING', nextAttemptAt: new Date(Date.UTC(2020, 0, 2)) },
        ...changes,
      }),
    )
    await service.deps.AuditEvent.collection.insertMany(added as never[])
    return added
  }
  const subjectsOf = (text: string) =>
    [...text.matchAll(/data-label="Subject"><?.*?class="id"[^>]*>([^<]+)</g)].map(([, subject]) => subject)
  const rows = async (query: string) => subjectsOf((await viewer.get(`/admin/audit?${query}`)).text)

  it('shows the time, actor, address, action, subject, and the values before and after', async () => {
    const [line] = await addLines({ subject: 'said-whole', at: new Date('2020-01-01T00:00:07Z') })
    const { text } = await viewer.get(`/admin/audit?subject=${line?.subject}`)
    const [row = ''] = /<tr>\s*<td[\s\S]*?<\/tr>/.exec(text) ?? []
    const said = readable(row.replaceAll('<wbr />', '')).trim()
    expect(said).to.match(/^2020-01-01 00:00:07 UTC moussa staff from 192\.0\.2\.7 delivery\.requeued/)
    expect(said).to.include('said-whole of business-1 status: DEAD → RETRYING')
    expect(said).to.include('nextAttemptAt: none → 2020-01-02 00:00:00 UTC')
    expect(row).to.include('<time datetime="2020-01-01T00:00:07.000Z">')
    for (const path of ['deliveries/said-whole', 'businesses/business-1'])
      expect(row).to.include(`href="/admin/${path}"`)
  })

  it('can be filtered by actor, action, subject and merchant, matched exactly, and by time range', async () => {
    await addLines(
      { actor: { kind: 'operator', name: 'root', from: null }, subject: 'one' },
      { act: 'staff.disabled', subject: 'two', businessId: null, before: null, after: null },
      { businessId: 'business-2', subject: 'three', at: new Date('2019-05-05T12:00:00Z') },
      { businessId: 'business-2', subject: 'four', at: new Date('2019-05-06T12:00:00Z') },
    )
    expect(await rows('who=root')).to.deep.equal(['one'])
    expect(await rows('act=staff.disabled')).to.deep.equal(['two'])
    expect(await rows('subject=thre')).to.deep.equal([])
    expect(await rows('business=business-2')).to.deep.equal(['four', 'three'])
    expect(await rows('business=business-2&to=2019-05-05')).to.deep.equal(['three'])
    expect(await rows('business=business-2&from=2019-05-05T12:00:01&to=')).to.deep.equal(['four'])
    expect(await rows('who=root&subject=one&from=2020-01-01')).to.deep.equal(['one'])
    expect(await rows('who[$ne]=x&business=business-2')).to.deep.equal(['four', 'three'])
    expect(await rows('who=%24where')).to.deep.equal([])
    const { text } = await viewer.get('/admin/audit?who=root&from=2020-01-01')
    expect(text).to.include('name="who" value="root"').and.include('name="from" value="2020-01-01"')
  })

  it('shows each line exactly once across all pages, newest first, even if several lines have the same time', async () => {
    const at = new Date('2018-01-01T00:00:00Z')
    const fields = Array.from({ length: 120 }, (_, index) => ({ at, subject: `page-${index}` }))
    const added = await addLines(...fields.map((each) => ({ ...each, businessId: 'paged' })))
    const pages: (string | undefined)[][] = []
    for (let path: string | undefined = '/admin/audit?business=paged'; path !== undefined; ) {
      const { text } = await viewer.get(path)
      pages.push(subjectsOf(text))
      path = nextPath(text)
    }
    const newestFirst = added.toSorted((a, b) => (a._id < b._id ? 1 : -1)).map(({ subject }) => subject)
    expect(pages.flat()).to.deep.equal(newestFirst)
    expect(pages).to.have.length(3)
  })

  it('shows any content as plain text', async () => {
    const evil = '"><img src=x onerror=alert(1)>\u202E'
    const values = { before: { [evil]: evil }, after: { [evil]: { [evil]: [evil] } } }
    const ids = { subject: evil, businessId: evil }
    await addLines({ actor: { kind: 'merchant', name: evil, from: evil }, ...ids, ...values })
    const { text } = await viewer.get(`/admin/audit?who=${encodeURIComponent(evil)}`)
    expect(text).to.include('onerror&#61;alert').and.not.include('<img')
  })

  describe('exported as a file', () => {
    const formula = '=HYPERLINK("https://evil.example")'
    const business = 'exported'
    before(async () => {
      const line = { at: new Date('2017-01-01T00:00:00Z'), businessId: business, reason: formula }
      await addLines(...Array.from({ length: 601 }, (_, index) => ({ ...line, subject: `export-${index}` })))
    })
    const exports = () =>
      service.deps.AuditEvent.find({ act: 'audit.exported' }).sort({ at: -1, _id: -1 }).lean<AuditEvent[]>()

    it('contains the filtered lines, newest first, without spreadsheet formulas', async () => {
      const support = await signedIn(service, 'support')
      expect((await support.get('/admin/audit')).text).to.include('Download as CSV')
      const csv = await support.act('/admin/audit/export', { format: 'csv', business, to: '2017-01-01' })
      expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(csv.headers.get('content-disposition')).to.match(/^attachment; filename="audit-[\d-]+\.csv"$/)
      const exported: Record<string, string>[] = parse(csv.text, { columns: true })
      expect(exported).to.have.length(601)
      expect(exported).to.deep.equal(exported.toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? 1 : -1)))
      expect(exported[0]).to.include({ actor: 'moussa', from: '192.0.2.7', reason: `'${formula}`, business })
      expect(JSON.parse(exported[0]?.before ?? '')).to.deep.equal({ status: 'DEAD', nextAttemptAt: null })
      const jsonl = await support.act('/admin/audit/export', { format: 'jsonl', business, to: '2017-01-01' })
      const objects = jsonl.text.trimEnd().split('\n')
      expect(objects.map((line) => JSON.parse(line).id)).to.deep.equal(exported.map(({ id }) => id))
      const written = JSON.parse(objects[0] ?? '')
      expect(written).to.deep.include({ reason: formula, businessId: business, seal: null })
      const [, first] = await exports()
      expect(first).to.deep.include({
        actor: { kind: 'staff', name: support.name, from: '127.0.0.1' },
        businessId: business,
        after: { format: 'csv', businessId: business, to: new Date('2017-01-01T23:59:59.999Z') },
      })
    })

    it("isn't available to viewers, without a CSRF token, or in other formats", async () => {
      const before = (await exports()).length
      expect((await viewer.get('/admin/audit')).text).to.not.include('Download as')
      expect((await viewer.act('/admin/audit/export', { format: 'csv' })).status).to.equal(403)
      const support = await signedIn(service, 'support')
      expect((await support.post('/admin/audit/export', { format: 'csv' })).status).to.equal(403)
      expect((await support.act('/admin/audit/export', { format: 'xls' })).status).to.equal(400)
      expect((await visit(service).post('/admin/audit/export', { format: 'csv' })).status).to.equal(403)
      expect((await support.get('/admin/audit/export')).status).to.equal(404)
      expect(await exports()).to.have.length(before)
    })

    it('shows an error page if no slot is free, and logs an error that ends the download early', async () => {
      const support = await signedIn(service, 'support')
      const download = () => support.act('/admin/audit/export', { format: 'csv', business })
      const { capacity, lists } = service.deps
      const held = [1, 2].map(() => capacity.takeNow([`staff ${support.name}`], { queries: 1 }))
      const refused = await download()
      for (const slot of held) slot?.free()
      expect([refused.status, refused.text.includes('Too many requests')]).to.deep.equal([429, true])
      const { run } = lists
      let reads = 0
      lists.run = (...args) => ((reads += 1) === 2 ? Promise.reject(new Error('a bug')) : run(...args))
      const ended = await download().catch(() => 'broken off')
      lists.run = run
      expect(ended).to.equal('broken off')
      expect(recorded.lines().map(({ msg }) => msg)).to.include('request.failed')
    })

    it('can be written to standard output by the command line', async () => {
      const cli = openAdmin(service)
      const options = ['--business', business, '--to', '2017-01-01', '--act', 'delivery.requeued']
      const { stdout } = await cli.here('--reason', 'yearly audit', 'audit', 'export', ...options)
      expect(parse(stdout, { columns: true })).to.have.length(601)
      const [line] = await exports()
      expect(line).to.deep.include({ reason: 'yearly audit', before: null })
      expect(line?.after).to.include({ format: 'csv', act: 'delivery.requeued' })
      const refused = await cli.here('audit', 'export', '--json')
      expect([refused.exitCode, refused.stdout]).to.deep.equal([1, ''])
    })
  })
})
