/* The recorded test of giflib for entry_mutants.py: pictures are written, read back whole and cut off anywhere, and what
   a careful caller does to single functions, null arguments where they are tested included. It returns 0 without a
   fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include SOURCE
#include "gif_lib.h"
#include "gif_lib_private.h"
#include "gif_hash.h"

typedef struct {
    unsigned char *bytes;
    int length, at;
} Memory;

static int writes(GifFileType *gif, const GifByteType *from, int n) {
    Memory *file = gif->UserData;
    file->bytes = realloc(file->bytes, file->length + n);
    memcpy(file->bytes + file->length, from, n);
    file->length += n;
    return n;
}

static int reads(GifFileType *gif, GifByteType *to, int n) {
    Memory *file = gif->UserData;
    if (n > file->length - file->at) n = file->length - file->at;
    memcpy(to, file->bytes + file->at, n);
    file->at += n;
    return n;
}

static ColorMapObject *colors(int count, int step) {
    GifColorType made[256];
    for (int i = 0; i < count; i++) made[i].Red = i * step, made[i].Green = i + 1, made[i].Blue = step;
    return GifMakeMapObject(count, made);
}

static Memory written(int width, int height, int count, int interlaced, int extended) {
    Memory file = {0};
    int error;
    GifFileType *gif = EGifOpen(&file, writes, &error);
    gif->SWidth = width, gif->SHeight = height, gif->SColorResolution = 8, gif->SColorMap = colors(count, 3);
    EGifSetGifVersion(gif, true);
    SavedImage made;
    memset(&made, 0, sizeof made);
    made.ImageDesc.Width = width, made.ImageDesc.Height = height, made.ImageDesc.Interlace = interlaced;
    made.ImageDesc.ColorMap = extended ? colors(2, 5) : NULL;
    made.RasterBits = malloc(width * height);
    for (int i = 0; i < width * height; i++) made.RasterBits[i] = (i * 7 + i / width) % (extended ? 2 : count);
    SavedImage *saved = GifMakeSavedImage(gif, &made);
    if (extended) {
        GraphicsControlBlock block = {1, true, 10, 3};
        EGifGCBToSavedExtension(&block, gif, 0);
        EGifGCBToSavedExtension(&block, gif, 0);
        EGifGCBToSavedExtension(&block, gif, 1);
        DGifSavedExtensionToGCB(gif, 0, &block);
        GifAddExtensionBlock(&saved->ExtensionBlockCount, &saved->ExtensionBlocks, COMMENT_EXT_FUNC_CODE, 5, (unsigned char *)"hello");
        GifAddExtensionBlock(&saved->ExtensionBlockCount, &saved->ExtensionBlocks, CONTINUE_EXT_FUNC_CODE, 3, (unsigned char *)"you");
        GifAddExtensionBlock(&gif->ExtensionBlockCount, &gif->ExtensionBlocks, PLAINTEXT_EXT_FUNC_CODE, 2, NULL);
        gif->ExtensionBlocks[0].Bytes[0] = gif->ExtensionBlocks[0].Bytes[1] = 1;
    }
    GifFreeMapObject(made.ImageDesc.ColorMap);
    free(made.RasterBits);
    SavedImage *images = gif->SavedImages;
    int n = gif->ImageCount;
    ColorMapObject *map = gif->SColorMap;
    ExtensionBlock *blocks = gif->ExtensionBlocks;
    int count_of_blocks = gif->ExtensionBlockCount;
    if (EGifSpew(gif) == GIF_ERROR) EGifCloseFile(gif, &error);
    GifFileType left;
    memset(&left, 0, sizeof left);
    left.SavedImages = images, left.ImageCount = n;
    GifFreeSavedImages(&left);
    GifFreeExtensions(&count_of_blocks, &blocks);
    GifFreeMapObject(map);
    return file;
}

static void read_whole(Memory file, int length) {
    int error;
    unsigned char *exact = malloc(length ? length : 1);
    memcpy(exact, file.bytes, length);
    Memory cut = {exact, length, 0};
    GifFileType *gif = DGifOpen(&cut, reads, &error);
    if (gif != NULL) {
        DGifSlurp(gif);
        GraphicsControlBlock block;
        DGifSavedExtensionToGCB(gif, 0, &block);
        (void)DGifGetGifVersion(gif);
        DGifCloseFile(gif, &error);
    }
    free(exact);
}

static void read_by_parts(Memory file) {
    int error, code;
    GifRecordType type;
    GifByteType *block;
    GifPixelType line[64];
    file.at = 0;
    GifFileType *gif = DGifOpen(&file, reads, &error);
    while (DGifGetRecordType(gif, &type) == GIF_OK && type != TERMINATE_RECORD_TYPE) {
        if (type == IMAGE_DESC_RECORD_TYPE && DGifGetImageDesc(gif) == GIF_OK) {
            for (int i = 0; i < gif->Image.Width; i++) DGifGetPixel(gif, line[i] = 0);
            for (int y = 1; y < gif->Image.Height; y++) DGifGetLine(gif, line, gif->Image.Width);
        } else if (type == EXTENSION_RECORD_TYPE && DGifGetExtension(gif, &code, &block) == GIF_OK)
            while (block != NULL && DGifGetExtensionNext(gif, &block) == GIF_OK) {}
    }
    DGifCloseFile(gif, &error);
    file.at = 0;
    gif = DGifOpen(&file, reads, &error);
    while (DGifGetRecordType(gif, &type) == GIF_OK && type != TERMINATE_RECORD_TYPE) {
        if (type == IMAGE_DESC_RECORD_TYPE && DGifGetImageDesc(gif) == GIF_OK) {
            if (DGifGetCode(gif, &code, &block) == GIF_OK)
                while (block != NULL && DGifGetCodeNext(gif, &block) == GIF_OK) {}
        } else if (type == EXTENSION_RECORD_TYPE && DGifGetExtension(gif, &code, &block) == GIF_OK)
            while (block != NULL && DGifGetExtensionNext(gif, &block) == GIF_OK) {}
    }
    DGifCloseFile(gif, &error);
}

static void single_functions(void) {
    int error = 0, count = 0;
    ExtensionBlock *blocks = NULL;
    GifFreeMapObject(NULL);
    GifFreeSavedImages(NULL);
    FreeLastSavedImage(NULL);
    GifFreeExtensions(&count, &blocks);
    DGifCloseFile(NULL, &error);
    EGifCloseFile(NULL, &error);
    GifMakeMapObject(3, NULL);
    GifFreeMapObject(GifMakeMapObject(4, NULL));
    GifFileType gif;
    memset(&gif, 0, sizeof gif);
    GifFreeSavedImages(&gif);
    FreeLastSavedImage(&gif);
    GifMakeSavedImage(&gif, NULL);
    GifMakeSavedImage(&gif, NULL);
    gif.SavedImages[1].RasterBits = malloc(1);
    gif.SavedImages[1].ImageDesc.ColorMap = colors(2, 1);
    FreeLastSavedImage(&gif);
    gif.SavedImages[0].ImageDesc.ColorMap = colors(2, 1);
    GifFreeSavedImages(&gif);
    ColorMapObject *one = colors(8, 3), *two = colors(8, 2), *both;
    GifPixelType table[8], bits[6] = {0, 1, 2, 3, 4, 7};
    both = GifUnionColorMap(one, two, table);
    SavedImage image;
    memset(&image, 0, sizeof image);
    image.ImageDesc.Width = 3, image.ImageDesc.Height = 2, image.RasterBits = bits;
    GifApplyTranslation(&image, table);
    GifFreeMapObject(one);
    GifFreeMapObject(two);
    GifFreeMapObject(both);
    unsigned char extension[4];
    GraphicsControlBlock block = {0, false, 2, NO_TRANSPARENT_COLOR};
    EGifGCBToExtension(&block, extension);
    DGifExtensionToGCB(4, extension, &block);
    DGifExtensionToGCB(3, extension, &block);
    GifHashTableType *hash = _InitHashTable();
    for (int i = 0; i < 3000; i++) _InsertHashTable(hash, (i << 12 | i % 256) & 0xFFFFF, i);
    for (int i = 0; i < 9000; i++) (void)_ExistsHashTable(hash, i * 37 & 0xFFFFE);
    free(hash);
    Memory file = {0};
    GifFileType *out = EGifOpen(&file, writes, &error);
    EGifPutScreenDesc(out, 4, 1, 8, 0, NULL);
    EGifPutComment(out, "a comment");
    char *text = malloc(600);
    memset(text, 'x', 599);
    text[599] = 0;
    EGifPutComment(out, text);
    free(text);
    EGifPutExtension(out, COMMENT_EXT_FUNC_CODE, 3, "abc");
    ColorMapObject *map = colors(4, 1);
    EGifPutImageDesc(out, 0, 0, 4, 1, false, map);
    for (int i = 0; i < 4; i++) EGifPutPixel(out, i);
    GifFreeMapObject(map);
    EGifCloseFile(out, &error);
    free(file.bytes);
}

int main(void) {
    for (int kind = 0; kind < 6; kind++) {
        Memory file = written(kind == 5 ? 40 : 9, kind == 5 ? 40 : 7, kind == 5 ? 256 : 4 << kind % 3, kind & 1, kind > 2);
        for (int n = file.length; n >= 0; n -= 1 + n / 100) read_whole(file, n);
        read_by_parts(file);
        free(file.bytes);
    }
    single_functions();
    return 0;
}
