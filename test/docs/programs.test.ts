import { post, relayDuring } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { type Merchant, withService } from '../support/service.ts'
import { createFixture, inThisMonth } from './curl.ts'
import { fileOf, languageOf, languages, librariesOf, programs } from './languages.ts'
import { type Block, blocksOf, nameOf, textOf } from './pages.ts'
import { runProgram, skipUnlessHere } from './program.ts'
import { startProxy } from './proxy.ts'

const shownBelow = ({ page, heading, line }: Block): string | undefined =>
  blocksOf(page).find((one) => one.fence === 'text' && one.heading === heading && one.line > line)?.text
const constant = (text: string): string => text.replaceAll('\r', '').replaceAll(/https?:\S+/g, 'URL')

describe('An example program in the guide', () => {
  const [service, endpointServer] = [withService(), withEndpointServer()]

  function skipUnlessRunnable(test: Mocha.Context, program: Block): void {
    const { name, command } = languageOf(program) ?? expect.fail(nameOf(program))
    skipUnlessHere(test, name, [command, '--version'], program.page)
  }

  function run(program: Block, environment: Record<string, string>): Promise<string> {
    const [language, file] = [languageOf(program), fileOf(program)]
    if (language === undefined || file === undefined) return expect.fail(nameOf(program))
    const files = { ...librariesOf(language), [file]: program.text }
    return runProgram([language.command, file], { files, environment, input: '' })
  }

  const environmentOf = ({ key }: Merchant, origin: string) => ({ BASE: `${origin}/api/v1`, KEY: key })

  const named = (name: string) => programs.filter((program) => fileOf(program)?.startsWith(`${name}.`))

  it('is available in every language of the guide', () =>
    expect(named('pay')).to.have.length(languages.length))

  const special = [...named('catchup'), ...named('shop')]
  for (const program of programs.filter((one) => shownBelow(one) !== undefined && !special.includes(one)))
    it(`prints the output that the page shows: ${nameOf(program)}`, async function () {
      skipUnlessRunnable(this, program)
      const { environment, merchant } = await createFixture(service, endpointServer, program.text)
      const printed = await run(program, environment)
      expect(constant(printed)).to.equal(constant(shownBelow(program) ?? ''))
      if (!program.text.includes('Order 1042')) return
      const { businessId } = merchant
      const made = await service.deps.Intent.find({ businessId, label: 'Order 1042' }).lean()
      expect(made.map(({ status, amount }) => [status, amount])).to.deep.equal([['PAID', 50_000]])
      expect(printed).to.include(made[0]?.shortCode)
    })

  it('computes the same totals from downloaded entries as from statements: close.py', async function () {
    skipUnlessHere(this, 'Python', ['python3', '--version'], 'clients/examples')
    const { environment, merchant } = await createFixture(service, endpointServer, '/refund')
    await post(service, merchant, `/intents/${environment.REFERENCE}/refund`, '{"amount":20000}')
    const inMonth = (kind: string): string =>
      blocksOf('docs/merchants/money.md').find(
        ({ fence, heading }) => fence === kind && heading === 'Close a month',
      )?.text ?? ''
    const files = {
      'month.sh': `${inThisMonth(inMonth('sh'))}python3 close.py`,
      'close.py': textOf('clients/examples/close.py'),
    }
    const printed = await runProgram(['sh', '-e', 'month.sh'], { files, environment, input: '' })
    expect(constant(printed)).to.equal(inMonth('text'))
  })

  for (const program of named('catchup'))
    it(`stores each event once, even after losing its position: ${nameOf(program)}`, async function () {
      skipUnlessRunnable(this, program)
      const { environment } = await createFixture(service, endpointServer, program.text)
      const [language, file] = [languageOf(program), fileOf(program)]
      if (language === undefined || file === undefined) return expect.fail(nameOf(program))
      const command = `"${language.command}" ${file}`
      const script = [command, command, 'rm next.txt', command].join('\n')
      const files = { ...librariesOf(language), [file]: program.text, 'run.sh': script }
      const printed = await runProgram(['sh', '-e', 'run.sh'], { files, environment, input: '' })
      const nothingNew = 'New events: 0\n'
      expect(printed).to.equal(shownBelow(program) + nothingNew + nothingNew)
    })

  for (const program of named('shop'))
    it(`prints what the page shows when it uses a package: ${nameOf(program)}`, async function () {
      const { environment, merchant } = await createFixture(service, endpointServer, program.text)
      const language = languageOf(program)
      if (language) skipUnlessHere(this, language.name, [language.command, '--version'], program.page)
      const library = librariesOf(language ?? { extension: 'mjs' })
      const file = fileOf(program) ?? ''
      const files = { ...library, [file]: program.text }
      const command = [language?.command ?? process.execPath, file] as const
      const running = runProgram([...command], { files, environment, input: '' })
      expect(await relayDuring(service, merchant, running)).to.equal(shownBelow(program))
    })

  for (const program of named('pay'))
    it(`creates only one intent even if the first response is lost: ${nameOf(program)}`, async function () {
      skipUnlessRunnable(this, program)
      const merchant = await service.merchant()
      const proxy = await startProxy(service.origin, { loses: (count) => count === 1 })
      const printed = await run(program, environmentOf(merchant, proxy.origin)).finally(
        () => void proxy.close(),
      )
      expect(printed).to.include('PAID 50000')
      expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(1)
    })
})
