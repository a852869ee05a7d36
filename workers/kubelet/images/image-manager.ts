import { Backoff } from "../backoff.ts";
import { parseImageReference } from "../cri/image-reference.ts";
import type { ImageService } from "../cri/interfaces.ts";
import { formatDuration } from "../duration.ts";
import type { PodEvents } from "../events.ts";
import type { StartFailure } from "../status/container-statuses.ts";
import { isAborted } from "../timer-queue.ts";
import type { Container, Pod } from "../types.ts";

export type EnsureImageResult =
  | { imageRef: string }
  /** `retryAt`: when another attempt can have another result; undefined when only a change of the pod can. */
  | { failure: StartFailure; retryAt?: number };

/** How often an image that must not be pulled is looked for again. */
const neverPullRetryMilliseconds = 60_000;

/** Brings the image of a container to the node, pkg/kubelet/images/image_manager.go (1.36). */
export class ImageManager {
  readonly #images: ImageService;
  readonly #events: PodEvents;
  readonly #now: () => number;
  readonly #backoff = new Backoff(10_000, 300_000);
  readonly #lastError = new Map<string, string>();

  constructor(images: ImageService, events: PodEvents, now: () => number) {
    this.#images = images;
    this.#events = events;
    this.#now = now;
  }

  async ensureImageExists(pod: Pod, container: Container, signal: AbortSignal): Promise<EnsureImageResult> {
    const { image } = container;
    const emit = (type: "Normal" | "Warning", reason: string, message: string): void =>
      this.#events.aboutContainer(pod, container, type, reason, message);
    try {
      parseImageReference(image);
    } catch (error) {
      const cause = (error as Error).message;
      const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${cause}`;
      emit("Warning", "InspectFailed", message);
      return { failure: { reason: "InvalidImageName", message } };
    }

    const present = await this.#images.imageStatus(image);
    const policy = container.imagePullPolicy ?? "IfNotPresent";
    if (policy === "Never" && present === undefined) {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      emit("Warning", "ErrImageNeverPull", message);
      return { failure: { reason: "ErrImageNeverPull", message }, retryAt: this.#now() + neverPullRetryMilliseconds };
    }
    if (policy !== "Always" && present !== undefined) {
      emit("Normal", "Pulled", `Container image "${image}" already present on machine and can be accessed by the pod`);
      return { imageRef: present.repoDigests[0] ?? present.id };
    }

    const key = `${pod.metadata.uid}_${image}`;
    const backoffEnd = this.#backoff.endSinceUpdate(key, this.#now());
    if (backoffEnd !== undefined && this.#now() < backoffEnd) {
      const short = `Back-off pulling image "${image}"`;
      emit("Normal", "BackOff", short);
      const cause = this.#lastError.get(key);
      const message = cause === undefined ? short : `${short}: ${cause}`;
      return { failure: { reason: "ImagePullBackOff", message }, retryAt: backoffEnd };
    }

    emit("Normal", "Pulling", `Pulling image "${image}"`);
    const startedAt = this.#now();
    try {
      const imageRef = await this.#images.pullImage({ image, annotations: pod.metadata.annotations ?? {} }, signal);
      const took = formatDuration(this.#now() - startedAt);
      const size = (await this.#images.imageStatus(image))?.size ?? 0;
      emit(
        "Normal",
        "Pulled",
        `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${size} bytes.`,
      );
      this.forget(pod, container);
      return { imageRef };
    } catch (error) {
      if (isAborted(error)) throw error;
      const message = (error as Error).message;
      emit("Warning", "Failed", `Failed to pull image "${image}": ${message}`);
      this.#backoff.next(key, this.#now(), this.#now());
      this.#lastError.set(key, `ErrImagePull: ${message}`);
      return { failure: { reason: "ErrImagePull", message }, retryAt: this.#now() + this.#backoff.get(key) };
    }
  }

  /**
   * Puts back the pull back-off that a restart of the host has lost. Pulls are placed on the times that an unbroken
   * back-off since the start of the pod would have, so that frequent restarts do not pull more often.
   */
  restoreBackoff(pod: Pod, container: Container, { reason, message }: StartFailure): void {
    if (reason !== "ImagePullBackOff" && reason !== "ErrImagePull") return;
    const key = `${pod.metadata.uid}_${container.image}`;
    const prefix = `Back-off pulling image "${container.image}": `;
    this.#lastError.set(key, reason === "ErrImagePull" ? `${reason}: ${message}` : message.replace(prefix, ""));
    const startTime = Date.parse(pod.status?.startTime ?? "");
    if (Number.isNaN(startTime)) return;
    let lastUpdate = startTime;
    let failures = 1;
    this.#backoff.restore(key, failures, lastUpdate);
    while (lastUpdate + this.#backoff.get(key) <= this.#now()) {
      lastUpdate += this.#backoff.get(key);
      this.#backoff.restore(key, ++failures, lastUpdate);
    }
  }

  forget(pod: Pod, container: Container): void {
    const key = `${pod.metadata.uid}_${container.image}`;
    this.#backoff.delete(key);
    this.#lastError.delete(key);
  }
}
