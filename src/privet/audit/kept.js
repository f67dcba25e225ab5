// What a page of this frame has kept on the device, and shows of itself: [kind, where, value].
async () => {
  const found = [], add = (kind, where, value) => found.push([kind, where, String(value)]);
  const here = location.origin;
  const text = (value) => JSON.stringify(value, (_, one) =>
    one instanceof ArrayBuffer ? [...new Uint8Array(one)]
      : ArrayBuffer.isView(one) ? [...new Uint8Array(one.buffer, one.byteOffset, one.byteLength)]
        : typeof one === "bigint" ? `${one}n` : one) ?? "undefined";
  const tried = async (run) => {
    try {
      await run();
    } catch {
      // Frames without an origin may keep nothing.
    }
  };
  const asked = (request) => new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = request.onblocked = failed;
  });
  const isTop = window === window.top;
  if (isTop) {
    add("title", "", document.title);
    add("history", "length", history.length);
    add("history", "state", text(history.state));
    add("address", "path", location.pathname);
    add("address", "query", location.search);
    add("address", "fragment", location.hash);
  }
  add("window.name", isTop ? "" : here, window.name);
  for (const kind of ["localStorage", "sessionStorage"])
    await tried(() => Object.entries(window[kind]).forEach(([key, one]) => add(kind, `${here} ${key}`, one)));
  await tried(async () => {
    for (const { name } of await indexedDB.databases()) {
      const base = await asked(indexedDB.open(name));
      add("IndexedDB", `${here} ${name}`, base.version);
      for (const store of base.objectStoreNames) {
        const items = base.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([asked(items.getAllKeys()), asked(items.getAll())]);
        add("IndexedDB", `${here} ${name} ${store}`, text([keys, values]));
      }
      base.close();
    }
  });
  await tried(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys())
        add("Cache", `${here} ${name} ${request.url}`, await (await cache.match(request)).text());
    }
  });
  const files = async (folder, path) => {
    for await (const [name, one] of folder.entries())
      if (one.kind === "file") add("file", `${here} ${path}${name}`, await (await one.getFile()).text());
      else await files(one, `${path}${name}/`);
  };
  await tried(async () => files(await navigator.storage.getDirectory(), ""));
  await tried(async () => {
    for (const one of await navigator.serviceWorker.getRegistrations())
      add("service worker", one.scope, one.active?.scriptURL);
  });
  return found;
}
