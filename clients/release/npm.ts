// Builds the npm packages.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'fflate'
import { packTar } from 'modern-tar'
import * as client from '../typescript/payments.ts'
import numbered from '../version.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const compiler = 'node_modules/@typescript/native/bin/tsc'
/** As `npm pack` does. */
const mtime = new Date('1985-10-26T08:15:00Z')

/** Texts by path. */
type Files = Record<string, string>

export async function buildNpmClient(): Promise<Uint8Array> {
  const names = Object.keys(client).toSorted()
  const compiled = compile(
    ...'--ignoreConfig --declaration --strict --module commonjs --target es2022 --lib es2022,dom'.split(' '),
    'clients/typescript/payments.ts',
  )
  return pack({
    ...compiled,
    // A program without a configuration has only the types of ES5.
    'payments.d.ts': `/// <reference lib="es2022" />\n${compiled['payments.d.ts']}`,
    // One copy of the code, so that `instanceof PaymentsError` holds for errors of both.
    'payments.mjs': `export { ${names.join(', ')} } from './payments.js'\n`,
    'payments.d.mts': "export * from './payments.js'\n",
    'README.md': read('clients/typescript/README.md'),
    'package.json': manifest({
      name: '@payment-intents-mru/client',
      description: 'A client for a payment intents service, without dependencies',
      engines: { node: '>=18' },
      main: './payments.js',
      types: './payments.d.ts',
      exports: {
        '.': {
          import: { types: './payments.d.mts', default: './payments.mjs' },
          require: { types: './payments.d.ts', default: './payments.js' },
        },
        './package.json': './package.json',
      },
      // Node.js 18 needs this module. Browsers have its functions built in.
      browser: { crypto: false },
      sideEffects: false,
    }),
  })
}

export async function buildCli(): Promise<Uint8Array> {
  return pack({
    ...compile('-p', 'cli'),
    'README.md': read('cli/README.md'),
    'package.json': manifest({
      name: '@payment-intents-mru/cli',
      description:
        'Shows the events of a test key as they happen, and forwards them to a server on your machine',
      engines: { node: '>=20.19' },
      type: 'module',
      bin: { 'payment-intents': 'cli/main.js' },
    }),
  })
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const manifest = ({ name, ...more }: { name: string } & Record<string, unknown>): string =>
  `${JSON.stringify({ name, version: numbered.version, license: 'MIT', ...more }, null, 2)}\n`

function compile(...options: string[]): Files {
  const folder = mkdtempSync(join(tmpdir(), 'package-'))
  try {
    const always = ['--singleThreaded', '--newLine', 'lf', '--outDir', folder]
    execFileSync(process.execPath, [compiler, ...always, ...options], { cwd: root, stdio: 'inherit' })
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const paths = files.map(({ parentPath, name }) => join(parentPath, name))
    return Object.fromEntries(
      paths.map((path) => [path.slice(folder.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')]),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Uses no zlib, because its output depends on its version and on the processor. */
async function pack(files: Files): Promise<Uint8Array> {
  const entries = Object.entries({ ...files, LICENSE: read('LICENSE') })
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, body]) => ({
      header: { name: `package/${name}`, size: Buffer.byteLength(body), mode: 0o644, mtime, uid: 0, gid: 0 },
      body,
    }))
  return gzipSync(await packTar(entries), { level: 9, mtime: 0 })
}
