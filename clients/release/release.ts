import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Package, packages } from './packages.ts'

const clients = join(import.meta.dirname, '..')
const released = join(clients, 'released')
/** The format of `sha256sum`. */
const sumsFile = 'SHA256SUMS'

/** Adds the packages of the current version to clients/released/. Merchants' lock files pin their content. */
export async function release(folder = released, list: readonly Package[] = packages): Promise<void> {
  const sums = readSums(folder)
  const built = await Promise.all(list.map(async ({ file, build }) => ({ file, bytes: await build() })))
  for (const { file, bytes } of built) {
    const sum = sha256(bytes)
    if ((sums.get(file) ?? sum) !== sum) throw new Error(`${file} is released already. ${remedy}`)
    sums.set(file, sum)
  }
  for (const { file, bytes } of built) writeFileSync(join(folder, file), bytes)
  const lines = [...sums].map(([file, sum]) => `${sum}  ${file}\n`)
  writeFileSync(join(folder, sumsFile), lines.join(''))
}

/** Builds what a release would contain, for a service that runs from source. */
export async function preview(): Promise<void> {
  const folder = join(clients, 'preview')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  writeFileSync(join(folder, sumsFile), '')
  await release(folder)
}

/** What is wrong with clients/released/. */
export async function findReleaseFaults(
  folder = released,
  list: readonly Package[] = packages,
): Promise<string[]> {
  const sums = readSums(folder)
  const stray = readdirSync(folder).filter((file) => file !== sumsFile && !sums.has(file))
  const faults = stray.map((file) => `${file} is not in ${sumsFile}`)
  const sumOf = (file: string): string | null =>
    existsSync(join(folder, file)) ? sha256(readFileSync(join(folder, file))) : null
  for (const [file, sum] of sums)
    if (sumOf(file) !== sum) faults.push(`${file} has changed since its release. Restore it`)
  for (const { file, build } of list.filter((one) => sums.has(one.file)))
    if (sha256(await build()) !== sums.get(file))
      faults.push(`${file} would now be built differently than for its release. ${remedy}`)
  return faults
}

const remedy = 'Raise the version in clients/version.json'

const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex')

const readSums = (folder: string): Map<string, string> =>
  new Map(
    readFileSync(join(folder, sumsFile), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  )
