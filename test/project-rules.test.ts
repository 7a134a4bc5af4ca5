import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import {
  filesIn,
  importCycles,
  importsOf,
  looseFiles,
  read,
  smallFiles,
  sources,
} from '../dev/source-files.ts'
import { retryWaitSeconds } from '../schemas/deliveries.ts'
import { environmentSchema } from '../schemas/environment.ts'
import { eventScopes } from '../schemas/events.ts'
import { queueNames } from '../schemas/jobs.ts'
import { errorCatalogue } from '../src/platform/errors.ts'
import { pages } from './docs/pages.ts'
import { type Node, parse, walk } from './support/edited-build/pattern.ts'

const root = join(import.meta.dirname, '..')
/** The other folders of src/ are interfaces, `config` and `queues`. */
const domain = sources.filter(
  (file) =>
    /^src\/[^/]+\//.test(file) &&
    !/^src\/(http|admin|checkout|reference|account-pages|staff-pages|people-pages|till|portal|config|queues)\//.test(
      file,
    ),
)

const offenders = (files: string[], isWrong: (imported: string) => boolean): string[] =>
  files.flatMap((file) =>
    importsOf(file)
      .filter(isWrong)
      .map((imported) => `${file} imports ${imported}`),
  )

const mentioning = (files: string[], text: RegExp): string[] => files.filter((file) => text.test(read(file)))
const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, group = '']) => group)

describe('The codebase', () => {
  it("has more than 50 source files whose imports are recognised, so the rules below can't pass vacuously", () => {
    expect(sources.length).to.be.greaterThan(50)
    expect(domain).to.include('src/intents/create.ts')
    expect(importsOf('src/app.ts')).to.include.members(['express', 'src/http/routes/routes.ts'])
  })

  it('has only entry points directly in src', () => {
    const names = ['app', 'release', 'run-cluster', 'run-web', 'server']
    expect(looseFiles).to.have.members(names.map((name) => `src/${name}.ts`))
    expect(read('src/platform/deps.ts')).to.not.match(/^import (?!type )/m)
  })

  it('contains no import cycles, not even cycles of type imports', () =>
    expect(importCycles()).to.deep.equal([]))

  it('contains no file that is small enough to belong in its only importer', () =>
    expect(smallFiles()).to.deep.equal([]))

  it('writes CSV only in src/platform/csv.ts', () => {
    const others = sources.filter((file) => file !== 'src/platform/csv.ts' && !file.endsWith('-example.ts'))
    // The parsers list the line ends that they accept.
    const writers = mentioning(
      others,
      /csv-stringify|^(?!\s*record_delimiter:).*\\r\\n['"`]|\.join\(delimiter\)/m,
    )
    expect(writers).to.deep.equal([])
  })

  it('builds HTML documents and tables in one file each', () => {
    expect(mentioning(sources, /<!doctype/i)).to.deep.equal(['src/http/pages/send-page.ts'])
    expect(mentioning(sources, /<table/)).to.deep.equal(['src/http/pages/table.ts'])
  })

  it('refuses requests with RATE_LIMITED only in src/limits', async () => {
    const others = sources.filter((file) => !file.startsWith('src/limits/'))
    expect(mentioning(others, /(refuse|super)\('RATE_LIMITED'|\brateLimited\(/)).to.deep.equal([])
    const table = importsOf('dev/tables/limits.ts')
    const users = mentioning(others, /\b(createShare|createNetworkLimit|usedUp|counters\.take)\(/)
    // Makes limits from the budgets of others.
    const makers = ['src/security/network-limit.ts', 'src/accounts/sign-in-limit.ts']
    const missing = users.filter((file) => ![...table, ...makers].includes(file))
    expect(missing).to.deep.equal([])
    const rows = read('docs/maintainers/limits.md')
      .split('<!-- table: limits -->')[1]
      ?.match(/^\| (?!Limit)/gm)
    expect(rows).to.have.length.within(30, 44)
  })

  const independent = [...filesIn('test/faults/checker'), ...filesIn('test/invariants')]
  const interfaces = [...filesIn('src/http'), ...filesIn('src/checkout'), 'src/app.ts']
  const forbidden: [rule: string, files: string[], imports: RegExp][] = [
    ['lets files in schemas import only from schemas', filesIn('schemas'), /^(src|workers|dev|test)\//],
    [
      'lets no domain folder import Express, BullMQ or workers',
      domain,
      /^(express|bullmq|ioredis|src\/http|src\/admin|src\/checkout|src\/reference|src\/app|workers)/,
    ],
    ['keeps mongoose and BullMQ out of src/http and src/checkout', interfaces, /^(mongoose|bullmq|ioredis)$/],
    [
      'keeps pages out of src/http',
      filesIn('src/http'),
      /^src\/(admin|checkout|reference|\w+-pages|till|portal)\//,
    ],
    ['keeps src independent of workers', filesIn('src'), /^workers\//],
    [
      'keeps product code independent of cli, dev, test, bench and ops',
      sources,
      /^(cli|dev|test|bench|ops)\//,
    ],
    [
      "lets cli import only Node.js built-ins, the merchants' client and schemas",
      filesIn('cli'),
      /^(?!node:|cli\/|schemas\/|clients\/typescript\/payments\.ts$)/,
    ],
    [
      'keeps the fault checker and the invariants independent of the service',
      independent.filter((file) => !/^test\/invariants\/.*\.test\.ts$/.test(file)),
      /^(src|workers|schemas|dist)\//,
    ],
  ]
  for (const [rule, files, imports] of forbidden)
    it(rule, () => {
      expect(files).to.not.deep.equal([])
      expect(offenders(files, (name) => imports.test(name))).to.deep.equal([])
    })

  it('reads the environment only in src/config/config.ts', () =>
    expect(mentioning(sources, /process\.env/)).to.have.members(['src/config/config.ts']))

  it('imports OpenTelemetry only in src/tracing', () => {
    const others = sources.filter((file) => !file.startsWith('src/tracing/'))
    expect(offenders(others, (name) => name.startsWith('@opentelemetry/'))).to.deep.equal([])
    expect(mentioning(sources, /from '[^']*\/otlp\.ts'/)).to.deep.equal([])
    expect(mentioning(sources, /import\('[^']*\/otlp\.ts'\)/)).to.have.members(['src/context/open-deps.ts'])
    expect(importsOf('src/tracing/otlp.ts')).to.include('@opentelemetry/api')
  })

  it('opens connections in exactly two files', () =>
    expect(
      mentioning(sources, /\.createConnection\(|new (\w*Redis|Cluster)\(|new MongoClient\(/),
    ).to.have.members(['src/mongo/connect.ts', 'src/queues/open-redis.ts']))

  it('replaces no method of an object made by Node.js or a package', () => {
    const replacing =
      /(?<=\w)(?<!: \w+)\.\w+ = (?:async )?(?:function\b|\w+ =>|\([^()]*\)(?:: [^=]+)? =>|[\w.]+\.bind\()|Object\.assign\(\s*(?:socket|server|worker|client|connection|redis|stream|app|req|res|request|response)\b/
    for (const wrong of [
      'server.close = () => undefined',
      'res.end = body => res',
      'Object.assign(\n  socket,',
    ])
      expect(wrong).to.match(replacing)
    for (const wrong of ['socket.destroySoon = function () {', 'copy.write = socket.write.bind(socket)'])
      expect(wrong).to.match(replacing)
    for (const right of [
      'socket.timeout = 0',
      'page: pages.Page = (deps) => 1',
      'const run = () => 1',
      'of.last = a.find((b) => b)',
    ])
      expect(right).to.not.match(replacing)
    // Swagger UI asks for a property `userFetch`.
    const browserScripts = filesIn('src', /\.js$/).filter((file) => !file.startsWith('src/reference/'))
    const all = [...sources, ...browserScripts, ...filesIn('cli'), ...filesIn('ops')]
    expect(mentioning(all, replacing)).to.deep.equal([])
  })

  it('keeps the scripts of customers and people in JavaScript for old phones', () => {
    const folders = ['http/pages', 'checkout', 'people-pages'].map((name) => `src/${name}/scripts`)
    const files = folders.flatMap((folder) => filesIn(folder, /\.js$/))
    expect(files).to.include('src/http/pages/scripts/each.js')
    const isModern = ({ type, kind, shorthand, operator }: Node): boolean =>
      /Arrow|Template|Class|Spread|Rest|Pattern|Await|Yield|ForOf|Import|Export|Chain|BigInt/.test(type) ||
      kind === 'const' ||
      kind === 'let' ||
      shorthand === true ||
      /^(\?\?|\*\*)/.test(String(operator))
    for (const wrong of ['let a', 'a => a', 'b?.c', 'b ?? c', '({ b })', '`b`', 'f(...b)', 'var { b } = c'])
      expect(
        [...walk(parse(wrong))].some(({ node }) => isModern(node)),
        wrong,
      ).to.equal(true)
    const modern = files.filter((file) =>
      [...walk(parse(read(file), file))].some(({ node }) => isModern(node)),
    )
    expect(modern).to.deep.equal([])
  })

  it('takes the time from deps.now() except for clock skew and BullMQ delays', () => {
    const wallClock =
      /\bDate\.now\b|\bnew Date\b(?!\()|\b(?:new )?Date\(\)|timeOrigin|\bTemporal\b|os\.uptime/
    expect(mentioning(sources, wallClock)).to.have.members([
      'src/mongo/database-time.ts',
      'workers/run/run-job.ts',
    ])
  })

  it("never writes MongoDB's own time", () => {
    expect(mentioning(sources, /\$currentDate|timestamps: true|\$\$NOW/)).to.deep.equal([])
    expect(mentioning(sources, /new Types\.ObjectId\(\)/)).to.have.members(['src/platform/ids.ts'])
  })

  it('changes intents only in the listed files', () => {
    const changing = /(\.(updateOne|updateMany|findOneAndUpdate|bulkWrite|replaceOne|save)|updateIntent)\(/
    expect(mentioning(filesIn('src/intents'), changing)).to.have.members(
      `src/intents/codes.ts src/intents/create.ts src/intents/payments/begin-and-settle.ts
      src/intents/query-wallets.ts src/intents/refunds/begin-and-settle.ts
      src/intents/transition.ts`.split(/\s+/),
    )
    const elsewhere =
      /\bIntent\)?\s*\.(updateOne|updateMany|findOneAndUpdate|bulkWrite|replaceOne)\(|updateIntent\(|createEmptyingBatcher\(deps\.Intent/
    const others = sources.filter((file) => !file.startsWith('src/intents/'))
    expect(mentioning(others, elsewhere)).to.have.members(['src/relay/relay.ts'])
    expect(mentioning(sources, /\bto: status\b/)).to.have.members(['src/intents/transition.ts'])
  })

  it("sets an intent's status only in transition.ts", () => {
    const setting = /\bset: \{[^{}]*(?<![\w.'])status\b/
    for (const wrong of ["$set: { status: 'PAID' }", '$set: { hold: null, status }'])
      expect(wrong).to.match(setting)
    expect("$set: { 'refunds.$.status': 'SUCCEEDED' }").to.not.match(setting)
    expect(mentioning([...filesIn('src/intents'), 'src/relay/relay.ts'], setting)).to.deep.equal([])
  })

  it('writes products and orders only in the listed files', () => {
    const products =
      /(\bProduct\)?|\bproducts)\s*\.(update|findOneAnd|bulkWrite|replace|delete|insert)|batchers\.(update|insert)Product\(/
    expect(mentioning(sources, products)).to.have.members([
      'src/store/imports/import-products.ts',
      'src/store/orders/place.ts',
      'src/store/products/change.ts',
      'src/store/products/create.ts',
    ])
    const orders =
      /(\bOrder\)?|storedOrders\(deps\))\s*\.(update|findOneAnd|bulkWrite|replace|delete|insert)|insertOrder\(|createEmptyingBatcher\(deps\.Order/
    expect(mentioning(sources, orders)).to.have.members(['src/store/orders/place.ts', 'src/relay/relay.ts'])
  })

  it('deletes documents only in the listed files', () => {
    const deleting = /\.(deleteMany|deleteOne|findOneAndDelete|findByIdAndDelete)\(/
    expect(mentioning(sources, deleting)).to.have.members([
      'src/retention/remove.ts',
      // Only deleted endpoints without deliveries.
      'src/webhooks/endpoints/stop-deliveries.ts',
    ])
    expect(read('src/retention/remove.ts')).to.include('{ ...filter, sandbox: true })')
    const changing = /\.(update|findOneAnd|bulkWrite|replace|insert)\w*\(/
    expect(mentioning(filesIn('src/retention'), changing)).to.have.members([
      'src/retention/record.ts',
      'src/retention/remove.ts',
    ])
  })

  it('only inserts, reads, seals and counts audit lines', () => {
    const usedIn = (files: string[]) =>
      new Set(files.flatMap((file) => found(read(file), /\bAuditEvent\)?\s*\.(\w+)/g)))
    const [seals, share] = ['src/verification/seal-trail.ts', 'src/audit/repeats.ts']
    const used = [...usedIn(sources.filter((file) => file !== seals && file !== share))].toSorted()
    expect(used).to.deep.equal(['countDocuments', 'exists', 'find', 'insertMany', 'insertOne'])
    expect([...usedIn([seals])]).to.deep.equal(['updateMany'])
    expect(found(read(seals), /(\$(?:set|unset|push|inc)\b.*)\)/g)).to.deep.equal(['$set: { seal: _id } }'])
    expect([...usedIn([share])]).to.have.members(['insertOne', 'updateOne'])
    expect(found(read(share), /(\$\w+:[^}]*)/g)).to.deep.equal([
      "$setOnInsert: own, $inc: { 'after.times': 1 ",
      "$addToSet: { 'after.notes': note ",
    ])
    expect(mentioning(sources, /'auditevents'/)).to.have.members(['src/audit/audit-event.ts'])
  })

  it('names each file in workers/ after its queue', () => {
    const files = readdirSync(join(root, 'workers')).filter(
      (name) => name.endsWith('.ts') && name !== 'main.ts',
    )
    expect(files.map((name) => name.replace('.ts', ''))).to.have.members([...queueNames])
    for (const name of queueNames) {
      expect(read(`workers/${name}.ts`)).to.include(`QueueWorker<'${name}'>`)
      expect(read('docs/maintainers/architecture.md')).to.include(`\`${name}\``)
    }
  })

  it('has a Procfile that starts builds of existing source files', () => {
    const started = [...read('Procfile').matchAll(/^(\w+): node dist\/(\S+)\.js$/gm)].map(
      ([, type, file]) => [type, file],
    )
    expect(started).to.deep.equal([
      ['release', 'src/release'],
      ['web', 'src/server'],
      ['worker', 'workers/main'],
    ])
    for (const [, file] of started) expect(sources).to.include(`${file}.ts`)
  })

  it('has the default retry table in .env.example', () =>
    expect(read('.env.example')).to.match(
      new RegExp(`^WEBHOOK_RETRY_SECONDS=${retryWaitSeconds.join()}$`, 'm'),
    ))

  it('has a .env.example that lists exactly the environment variables that the service reads', () => {
    const named = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map((match) => match[1])
    expect(named).to.have.members(Object.keys(environmentSchema.properties))
  })

  it("has a docker-compose.yml that passes on every environment variable it doesn't set itself", () => {
    const given = [...read('docker-compose.yml').matchAll(/^ {4}([A-Z_]+): (.+)$/gm)].map(
      ([, name = '', value = '']) => ({ name, isPassedOn: value.includes(`\${${name}:`) }),
    )
    expect(given.map(({ name }) => name)).to.have.members(Object.keys(environmentSchema.properties))
    const set = given.filter(({ isPassedOn }) => !isPassedOn).map(({ name }) => name)
    expect(set.join(' ')).to.equal('PORT MONGODB_URL REDIS_URL WORKER_PORT METRICS_PORT METRICS_TOKEN')
  })

  it('uses every error code in the catalogue', () => {
    const code = sources.map(read).join('\n')
    const named = filesIn('schemas').map(read).join('\n')
    const isUsed = (name: string) =>
      new RegExp(`(refuse|requireOwned)\\([^)]*'${name}'`).test(code) || named.includes(`'${name}'`)
    expect(Object.keys(errorCatalogue).filter((name) => !isUsed(name))).to.deep.equal([])
  })

  it('links only to existing files and headings in its pages', () => {
    const headings = (text: string) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      )
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)].map(
        ([link, path, heading = '']) => ({
          link: `${page}: ${link}`,
          target: path ? normalize(join(dirname(page), path)) : page,
          heading,
        }),
      ),
    )
    expect(links.length).to.be.greaterThan(20)
    const leadsNowhere = ({ target, heading }: (typeof links)[number]) =>
      !existsSync(join(root, target)) || (heading !== '' && !headings(read(target)).includes(heading))
    const parts = links.filter(({ link }) => /^README\.md: .*\((src|workers|schemas)\//.test(link))
    expect(parts.length, "files in README's table of parts").to.be.at.least(7)
    expect(links.filter(leadsNowhere).map(({ link }) => link)).to.deep.equal([])
  })

  it('mentions only existing source files in its pages', () => {
    const named = pages.flatMap((page) => found(read(page), /((?:[\w-]+\/)*[\w-]+(?:\.test)?\.ts)\b/g))
    const files = [
      ...sources,
      ...['cli', 'clients', 'test', 'dev', 'bench', 'ops'].flatMap((folder) => filesIn(folder)),
    ]
    expect(named.length).to.be.greaterThan(15)
    expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).to.deep.equal([])
  })

  it('explains every error log line in docs/operators/watch.md', () => {
    const [, logs = ''] = read('docs/operators/watch.md').split('\n## Logs\n')
    const [tables = ''] = logs.split('\n## Traces\n')
    const name = /`([a-z]+\.[a-z-]+)`/g
    const mentioned = [
      ...found(read('docs/operators/runbook.md'), name),
      ...found(read('docs/operators/runbook.md'), /\blines ([a-z]+\.[a-z-]+)/g),
      ...found(read('ops/alerts.yml'), /line="([^"]+)"/g),
    ]
    const rows = [...tables.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell)
    const listed = rows.flatMap((cell) => found(cell, name))
    const inSources = (pattern: RegExp) => sources.flatMap((file) => found(read(file), pattern))
    const logged = [
      ...inSources(/\blog\.(?:info|warn|error)\([^']+'([^']+)'/g),
      ...inSources(/\b(?:event|payment|refund)(?::| =) '([a-z]+\.[a-z-]+)'/g),
    ]
    const atError = inSources(/\blog(?:\.error\((?!.*, event\))[^']+|UnlessRecorded\(.*)'([a-z]+\.[a-z-]+)'/g)
    logged.push(...atError)
    expect(atError.length).to.be.greaterThan(5)
    expect(listed).to.include.members(atError)
    expect(logged).to.include.members(listed)
    expect(mentioned.length).to.be.greaterThan(10)
    expect(logged).to.include.members(mentioned.filter((one) => !(one in eventScopes)))
  })

  it('lists every event in docs/merchants/webhooks.md', () => {
    for (const event of Object.keys(eventScopes))
      expect(read('docs/merchants/webhooks.md')).to.include(`\`${event}\``)
  })

  it('pins every package to one exact version', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'))
    const versions = Object.entries<string>({ ...dependencies, ...devDependencies })
    expect(versions.filter(([, version]) => !/^(npm:[@/\w-]+@)?\d+\.\d+\.\d+$/.test(version))).to.deep.equal(
      [],
    )
  })

  it('has a digest in the lock file for every package, on every platform', () => {
    const unproved = Object.entries<{ integrity?: string }>(JSON.parse(read('package-lock.json')).packages)
      .filter(([path, { integrity }]) => path !== '' && !integrity)
      .map(([path]) => path)
    // npm leaves out packages for other platforms. It adds them if their entries are missing.
    const remedy = 'Remove these entries, and run npm install --package-lock-only'
    expect(unproved, remedy).to.deep.equal([])
  })

  it('contains no file with a meaningless name', () => {
    const rotten = /(^|[/.-])(service|manager|helpers?|utils?|common|core|base|misc|shared)(\.[a-z]+$|\/)/
    const all = [...sources, ...filesIn('cli'), ...filesIn('test'), ...filesIn('dev'), ...filesIn('bench')]
    // The fixture is the whole service, so its name says what it is.
    const named = all.filter((file) => file !== 'test/support/service.ts')
    expect(named.filter((file) => rotten.test(file))).to.deep.equal([])
  })
})
