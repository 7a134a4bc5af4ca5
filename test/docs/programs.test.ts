import { expect } from 'chai'
import { cancelIntent, createIntent } from '../support/acts.ts'
import { type Merchant, openService, type Service } from '../support/service.ts'
import { blocksOf } from './pages.ts'
import { runProgram, skipUnlessHere } from './program.ts'
import { programPages, type Runtime, runtimes } from './programs.ts'
import { whilePaging } from './while-paging.ts'

/** PHP and Python start slowly on a busy machine. */
const slowestMs = 30_000

/** More than fit on one page of 100. */
const waiting = 130

describe('The programs of the pages', function () {
  this.timeout(slowestMs)
  let service: Service
  before(async () => {
    service = await openService()
  })
  after(() => service.close())

  function runOn(
    page: keyof typeof programPages,
    { name, fence, file, run }: Runtime,
    { key }: Merchant,
    origin: string,
  ) {
    const program = blocksOf(page).find((block) => block.heading === name && block.fence === fence)
    if (program === undefined) return expect.fail(`${page} has no ${fence} under ${name}`)
    const environment = { BASE: `${origin}/api/v1`, KEY: key }
    return runProgram(run, { files: { [file]: program.text }, environment, input: '' })
  }
  const runtimesOf = (page: keyof typeof programPages) =>
    runtimes.filter(({ name }) => programPages[page].some((one) => one === name))

  for (const runtime of runtimesOf('docs/getting-started.md'))
    it(`docs/getting-started.md leads to a PAID intent in ${runtime.name}`, async function () {
      skipUnlessHere(this, runtime.name, runtime.probe, 'docs/getting-started.md')
      const merchant = await service.merchant()
      const said = await runOn('docs/getting-started.md', runtime, merchant, service.origin)
      const [intent, ...others] = await service.deps.Intent.find({ businessId: merchant.businessId }).lean()
      expect(others).to.deep.equal([])
      expect([intent?.status, intent?.amount, intent?.label]).to.deep.equal(['PAID', 50_000, 'Order 1042'])
      expect(said)
        .to.match(/PAID[^]*50000/)
        .and.include(String(intent?.shortCode))
    })

  for (const runtime of runtimesOf('docs/getting-started.md').filter(({ name }) => name !== 'curl'))
    it(`and tells in ${runtime.name} why it was refused`, async function () {
      skipUnlessHere(this, runtime.name, runtime.probe, 'docs/getting-started.md')
      const merchant = await service.merchant({ kind: 'publishable' })
      const said = await runOn('docs/getting-started.md', runtime, merchant, service.origin).catch(String)
      expect(said)
        .to.include('SECRET_KEY_REQUIRED')
        .and.match(/request [0-9a-f-]{36}/)
    })

  describe('docs/pagination.md', () => {
    let merchant: Merchant
    let references: string[]
    before(async () => {
      merchant = await service.merchant()
      await Promise.all(Array.from({ length: waiting }, () => createIntent(service, merchant)))
      const made = await service.deps.Intent.find({ businessId: merchant.businessId }).sort({
        createdAt: 1,
        _id: 1,
      })
      references = made.map(({ referenceNumber }) => referenceNumber)
    })

    for (const runtime of runtimesOf('docs/pagination.md'))
      it(`reads every page, and each item once, in ${runtime.name}, also when one of the first page moves on meanwhile`, async function () {
        skipUnlessHere(this, runtime.name, runtime.probe, 'docs/pagination.md')
        const newest = String(references.pop())
        const front = await whilePaging(service.origin, () => cancelIntent(service, merchant, newest))
        const said = await runOn('docs/pagination.md', runtime, merchant, front.origin).finally(front.close)
        const read = said
          .trimEnd()
          .split(/\r?\n/)
          .map((line) => line.split(' ')[0])
        expect(read).to.have.members([newest, ...references])
      })
  })
})
