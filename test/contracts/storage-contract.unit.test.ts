import { FakeClock } from "../../workers/apimachinery/clock.ts";
import { MemoryStorage } from "../../workers/storage/memory/memory-storage.ts";
import { describeStorageContract } from "./storage-contract.ts";

describeStorageContract(
  "MemoryStorage",
  () => {
    const storage = new MemoryStorage(new FakeClock());
    return Promise.resolve({
      storage,
      compact(revision) {
        storage.compact(revision);
        return Promise.resolve();
      },
    });
  },
  { watch: true },
);
